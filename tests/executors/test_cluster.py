"""A Dask cluster of two workers on this machine gives the same bits, whoever is killed."""

import os
import signal

import distributed
import numpy as np
import pytest
from folder_samples import (
    LONG,
    SERIES,
    chunks,
    files,
    points_of,
    run_here,
    running,
    small_grid,
    written,
)
from simulated_cases import compared
from study_samples import data
from sweeps import Forces, pages_of_arrays, slow_squares, tables

import gough
from gough.executors import ChunkRecord, Cluster, in_chunks, sweep
from gough.executors import workers as tasks
from gough.runs import to_folder
from gough.studies.study import Study


@pytest.fixture(scope="module")
def cluster():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a grid that was computed in this process."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    to_folder(small_grid(outputs=SERIES), folder, report=False)
    return files(folder)


def test_a_grid_on_a_cluster_has_the_same_files(cluster, whole, tmp_path):
    to_folder(small_grid(outputs=SERIES), tmp_path, report=False, executor=cluster)
    assert files(tmp_path) == whole


def test_cases_of_a_simulation_on_a_cluster_have_the_same_files(cluster, tmp_path):
    study = compared("heavy", "noisy")
    to_folder(study, tmp_path / "here")
    to_folder(study, tmp_path / "there", executor=cluster)
    assert files(tmp_path / "there") == files(tmp_path / "here")


def test_a_cluster_is_known_by_its_address_too(cluster):
    address = cluster.scheduler.address
    found = gough.run(data(variations=VARIED, samples=11), executor=address)
    here = gough.run(data(variations=VARIED, samples=11))
    np.testing.assert_array_equal(found["peak_force"], here["peak_force"])
    with Cluster(address) as opened:
        assert opened.slots == 2
        assert repr(opened) == f"<gough executor: Dask cluster {address}, 2 slots>"


def test_a_worker_keeps_memory_for_the_next_array(cluster):
    (chunk,) = in_chunks(pages_of_arrays, range(1), executor=cluster)
    assert chunk.result < 5_000  # of 50,000


VARIED = [{"parameter": "tasks[1].mass", "values": [10, 20, 30]}]


def test_an_address_where_nobody_answers_is_refused(monkeypatch):
    monkeypatch.setattr("gough.executors.cluster._CONNECTING", 0.2)
    with pytest.raises(gough.GoughError, match=r"tcp://127.0.0.1:9: no Dask scheduler answers"):
        gough.run(data(variations=VARIED, samples=11), executor="tcp://127.0.0.1:9")


@pytest.fixture
def another_version(monkeypatch):
    """As if the workers had an older Gough than this process."""
    monkeypatch.setattr(tasks, "__version__", "99.0")
    tasks.versions_here.cache_clear()
    yield
    tasks.versions_here.cache_clear()


@pytest.mark.usefixtures("another_version")
def test_workers_of_another_version_are_refused_by_name(cluster):
    words = rf"worker tcp://127.0.0.1:\d+ has gough {gough.__version__}; expected gough 99.0, as"
    with pytest.raises(gough.GoughError, match=words):
        gough.run(data(variations=VARIED, samples=11), executor=cluster)


@pytest.mark.usefixtures("another_version")
def test_a_worker_that_comes_later_is_asked_too(cluster, monkeypatch):
    """The chunk itself says of which version it is."""
    monkeypatch.setattr(Cluster, "_check", lambda self: None)
    words = rf"a worker has gough {gough.__version__}; expected gough 99.0"
    with pytest.raises(gough.GoughError, match=words):
        list(in_chunks(np.sqrt, np.ones(3), executor=cluster))


def test_an_error_of_the_work_is_raised_as_it_is(cluster):
    with pytest.raises(gough.InputError) as found:
        list(in_chunks(_wrong, range(3), executor=cluster))
    assert found.value.key == "robot"


def _wrong(items):
    raise gough.InputError("wrong", key="robot", value=items.start)


def test_a_second_task_is_set_up_in_no_time(cluster):
    """Each job is another, with a model of its own: the robot's kernels are in memory."""
    robot = gough.load("demo-hexapod")
    model = gough.Model(robot, parametric=True)
    poses = np.array([robot.home])
    expected = model.inverse_dynamics(model.parameters, poses)
    set_up, seconds = [], []
    for number in range(12):
        (chunk,) = in_chunks(Forces(model, number), poses, executor=cluster)
        np.testing.assert_array_equal(chunk.result, expected)
        set_up.append(chunk.set_up)
        seconds.append(chunk.seconds)
    assert np.median(set_up) < 5e-3
    assert np.median(seconds) < 5e-3


def test_work_of_a_killed_worker_is_done_by_another(cluster, tmp_path):
    before = cluster.run(os.getpid)
    record = ChunkRecord(tmp_path, "slow")
    killed = []

    def advance(done):
        if record.done > 10 and not killed:
            killed.append(next(iter(before.values())))
            os.kill(killed[0], signal.SIGKILL)

    sweep(slow_squares, 60, record, executor=cluster, advance=advance)
    assert killed
    assert record.missing(60) == []
    assert [x for _, rows in tables(record) for x in rows["square"]] == [k**2 for k in range(60)]


def test_a_command_that_was_killed_goes_on_with_the_same_files(cluster, tmp_path):
    """Killed as `kill -9` does; the workers that were at work for it stay for the next."""
    file, address = written(tmp_path, LONG), cluster.scheduler.address
    to_folder(Study.load(file), tmp_path / "here", report=False)
    folder, there = tmp_path / "killed", ("--cluster", address)
    with running(file, folder, *there, count=3) as process:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "the run ended before it could be killed"
    kept = chunks(folder)
    assert 0 < sum(len(points_of(chunk)) for chunk in kept) < 60
    assert run_here(file, folder, *there).stderr == ""
    assert files(folder) == files(tmp_path / "here")
