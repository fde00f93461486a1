"""Work in chunks: the same results wherever it is done, and all of them whoever is killed."""

import os
import pickle
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from threading import get_ident

import numpy as np
import pytest
from simulated_motions import screw_motion
from sweeps import Forces, KilledOnce, slow_squares, squares, tables

import gough
from gough.disk.tables import read_table
from gough.executors import ChunkRecord, Here, Processes, in_chunks, opened, sweep
from gough.executors.chunks import ATTEMPTS, SHORTEST, _Sizes
from gough.executors.workers import run_received, versions_here
from gough.kinematics import constant_orientation_workspace
from gough.simulation import Scenario, Sensors, computed_torque, simulate_batch

COUNT = 1000


@pytest.fixture(scope="module")
def processes():
    with Processes(2) as workers:
        yield workers


@pytest.fixture(params=["here", "processes"])
def workers(request, processes):
    made = {"here": Here, "processes": lambda: processes}
    return made[request.param]()


def joined(chunks):
    """What came of all items, each of which was done once."""
    chunks = sorted(chunks, key=lambda chunk: chunk.items.start)
    ends = [0, *(end for chunk in chunks for end in (chunk.items.start, chunk.items.stop)), COUNT]
    assert ends[::2] == ends[1::2]
    return np.concatenate([chunk.result for chunk in chunks])


def test_every_item_is_done_once_and_alike(workers):
    robot = gough.load("demo-hexapod")
    poses = np.tile(robot.home, (COUNT, 1))
    poses[:, 0] += np.linspace(-0.05, 0.05, COUNT)
    job = Forces(gough.Model(robot, parametric=True))
    found = joined(in_chunks(job, poses, executor=workers))
    np.testing.assert_array_equal(found, job(poses))


def test_parts_of_the_items_are_done_alone(workers):
    parts = [range(3, 7), range(0), range(900, COUNT)]
    found = list(in_chunks(np.square, np.arange(COUNT), executor=workers, parts=parts, here=30))
    assert {k for chunk in found for k in chunk.items} == {*range(3, 7), *range(900, COUNT)}
    assert all((chunk.result == np.square(chunk.items)).all() for chunk in found)


def test_who_asks_for_no_more_ends_the_work(processes):
    chunks = in_chunks(slow_squares, range(COUNT), executor=processes)
    next(chunks)
    chunks.close()
    found = in_chunks(np.square, np.arange(3), executor=processes)
    assert sorted(x for chunk in found for x in chunk.result.tolist()) == [0, 1, 4]


def test_processes_at_work_end_when_nobody_waits_for_them():
    workers = Processes(1)
    workers.submit(os.getpid).result()  # it is there
    under_way = workers.submit(time.sleep, 100)
    while not under_way.running():
        time.sleep(0.01)
    begun = time.monotonic()
    workers.close()
    assert time.monotonic() - begun < 20
    assert isinstance(under_way.exception(), BrokenProcessPool)


def test_an_error_of_the_work_comes_through(workers):
    with pytest.raises(gough.GoughError, match="parameters"):
        list(in_chunks(_refused, range(3), executor=workers))


def _refused(items):
    raise gough.KernelArgumentError(f"argument 'parameters' of {items}")


def test_work_is_given_to_others_if_a_process_is_killed(tmp_path):
    with Processes(2) as workers:
        job = KilledOnce(tmp_path / "killed", at=20)
        found = joined(in_chunks(job, np.arange(COUNT), executor=workers))
    assert (tmp_path / "killed").exists()
    np.testing.assert_array_equal(found, np.arange(COUNT) ** 2)


class Dying(Here):
    """Workers whose processes end at whatever they do."""

    lost = (BrokenProcessPool,)

    def submit(self, work, *arguments):
        done = Future()
        done.set_exception(BrokenProcessPool())
        return done


def test_work_that_always_ends_its_process_is_refused():
    words = rf"a worker has ended {ATTEMPTS} times while items 0 to 0 were under way; expected"
    with pytest.raises(gough.GoughError, match=words), Dying() as workers:
        list(in_chunks(squares, range(1), executor=workers))


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, [2]])
def test_what_is_no_executor_is_refused(wrong):
    with (
        pytest.raises(gough.GoughError, match=r"(workers|executor) is .*; expected"),
        opened(wrong),
    ):
        pass


def test_a_script_without_a_guard_ends_with_one_error(tmp_path):
    script = tmp_path / "unguarded.py"
    script.write_text(
        "from gough.executors import in_chunks\nlist(in_chunks(len, range(9), executor=2))\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stderr.count("Traceback") == 1
    assert 'in a script, if __name__ == "__main__":' in done.stderr


def test_equations_are_traced_by_one_thread_at_a_time():
    """Others would wait for it at each call of CasADi."""
    record = ChunkRecord(None, "threads")
    sweep(lambda items: {"thread": [get_ident()] * len(items)}, 1000, record)
    found = [read_table(table, Path())["thread"] for _, table in record]
    assert len(found) > 1
    np.testing.assert_array_equal(np.concatenate(found), get_ident())
    job = pickle.dumps(_among_others)
    with ThreadPoolExecutor(4) as pool:
        others = list(pool.map(partial(run_received, versions_here(), job), range(8)))
    assert [done.result for done in others] == [1] * 8


def _among_others(_, at_work=[]):  # noqa: B006  (for all calls)
    at_work.append(None)
    time.sleep(0.01)
    count = len(at_work)
    at_work.pop()
    return count


# -- sizes ----------------------------------------------------------------------------------------


def sizes_of(seconds, slots, count):
    """The sizes of chunks whose items take so long."""
    sizes, found, left = _Sizes(), [], count
    while left:
        found.append(min(sizes.next(slots, left), left))
        sizes.learn(found[-1], seconds * found[-1])
        left -= found[-1]
    return found


def test_chunks_are_sized_by_time():
    sizes = sizes_of(1e-3, 2, 100_000)
    assert sizes[0] == 1
    assert max(sizes) * 1e-3 == pytest.approx(SHORTEST, rel=0.01)
    assert sizes[-1] < max(sizes)  # so that both end together
    assert len(sizes) < 1.2 * 100_000 * 1e-3 / SHORTEST


def test_chunks_of_one_slot_do_not_get_shorter():
    sizes = sizes_of(1e-3, 1, 10_000)
    assert sizes[-2] == max(sizes)
    assert sum(sizes) == 10_000


def test_items_that_take_long_go_alone():
    assert sizes_of(10.0, 2, 7) == [1] * 7


def test_many_slots_do_not_keep_a_scheduler_busy():
    """A hundred machines of sixteen slots finish at most a hundred chunks a second."""
    sizes = sizes_of(1e-3, 1600, 300_000_000)
    assert max(sizes) * 1e-3 == pytest.approx(16, rel=0.01)


# -- records --------------------------------------------------------------------------------------


def test_a_record_lacks_what_is_between_its_chunks(tmp_path):
    record = ChunkRecord(tmp_path, "squares")
    for items in (range(5, 8), range(2, 3)):
        record.add(items, b"content")
    again = ChunkRecord(tmp_path, "squares")
    assert again.items == [range(2, 3), range(5, 8)]
    assert again.missing(9) == [range(2), range(3, 5), range(8, 9)]
    assert (again.done, len(again.files)) == (4, 2)


def test_a_record_of_other_work_is_refused(tmp_path):
    ChunkRecord(tmp_path, "squares").add(range(2), b"content")
    with pytest.raises(gough.GoughError, match=r"has results of other work, such as chunk-0"):
        ChunkRecord(tmp_path, "cubes")


def test_only_what_is_missing_is_computed(tmp_path, processes):
    sweep(squares, 40, ChunkRecord(tmp_path, "squares"), executor=processes)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    sweep(None, 40, ChunkRecord(tmp_path, "squares"))
    sweep(squares, 90, record := ChunkRecord(tmp_path, "squares"))
    assert before.items() <= {path.name: path.read_bytes() for path in tmp_path.iterdir()}.items()
    assert [x for _, rows in tables(record) for x in rows["square"]] == [k**2 for k in range(90)]


# -- what goes through executors ------------------------------------------------------------------


def test_tolerances_of_drawn_machines_are_the_same_bits(processes):
    robot = gough.load("demo-hexapod")
    poses = np.tile(robot.home, (3, 1))
    poses[:, 0] += [0.0, 0.02, 0.05]
    options = {"tolerances": {"legs[*].base": "50 um", "platform.mass": "1 %"}, "samples": 50}
    here = gough.tolerances(robot, poses, **options).monte_carlo
    there = gough.tolerances(robot, poses, **options, executor=processes).monte_carlo
    for name, values in vars(here).items():
        np.testing.assert_array_equal(getattr(there, name), values, err_msg=name)


def test_a_workspace_is_the_same_bits(processes):
    model = gough.Model(gough.load("demo-hexapod"))
    options = {"tolerance": 0.1}
    here = constant_orientation_workspace(model, **options)
    there = constant_orientation_workspace(model, **options, executor=processes)
    assert (here.volume, here.volume_error) == (there.volume, there.volume_error)


def test_a_batch_of_simulations_is_the_same_bits(processes):
    robot = gough.load("demo-hexapod")
    motion, controller = screw_motion(robot, duration=0.05), computed_torque(900, 60)
    masses = {"platform.mass": np.linspace(100, 200, 12)}
    scenario = Scenario(robot, controller, motion, every=5, sensors=Sensors(noise=1e-6))
    here = simulate_batch(scenario, masses)
    there = simulate_batch(scenario, masses, executor=processes)
    for name in ("pose", "twist", "force", "pose_error"):
        np.testing.assert_array_equal(getattr(here, name), getattr(there, name))
    assert here.endings == there.endings
