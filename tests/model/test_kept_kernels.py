"""A kernel that another process has made is found on disk by what defines it, and by nothing less.

`forget` makes this process one that has made nothing yet.
"""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest

import gough
from gough.compiler import forget, identity, kernel_of
from gough.compiler.front.argument import Argument
from gough.compiler.native import cache, disk_kernels
from gough.equations.motion.singularity_measures import arm
from gough.kinematics.singularity.singularity import determinant, measure_function
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, margin_kernel
from gough.model.machines import Machines
from gough.model.mechanism import kept, reading
from gough.model.parameters import machine_of
from gough.robot.numbers import layout

ROBOT = gough.load("demo-hexapod")
DELTA = gough.load("delta")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    path = tmp_path / "kernels"
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(path))
    forget()
    yield path
    forget()


def heavier(robot):
    data = robot.to_dict()
    data["platform"]["mass"] = float(np.nextafter(robot.platform.mass, 1e9))
    return gough.Robot.from_dict(data)


@pytest.mark.parametrize("robot", [ROBOT, DELTA], ids=lambda robot: robot.name)
@pytest.mark.parametrize("parametric", [False, True])
def test_the_second_process_traces_nothing_and_computes_the_same(robot, parametric, traced):
    def results():
        forget()
        model = gough.Model(robot, parametric=parametric)
        numbers = model.numbers()
        return (
            model.inverse_dynamics(*numbers, robot.home, np.full(6, 0.1), np.full(6, 0.2)),
            determinant(model.machines)(*numbers, robot.home),
            model.jacobian.__doc__,
            repr(model.jacobian),
        )

    first = results()
    assert traced
    traced.clear()
    second = results()
    assert not traced
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b)


def test_the_second_process_analyses_no_machine_and_knows_the_same(monkeypatch):
    robots = [gough.load(name) for name in ("delta", "tricept", "knee", "five-bar")]

    def read():
        kept.findings.cache_clear()
        return [kept.findings(robot) for robot in robots]

    first = read()
    for robot, found in zip(robots, first, strict=True):
        known, geometry = reading.analysed(robot), reading.geometry_of(robot).fingerprint
        assert found.structure == replace(known.structure, fingerprint=geometry)
        assert found.left_out == known.left_out
        T = known.machine.freedom.T
        assert (found.possible is None) == (T is None)
        if T is not None:
            np.testing.assert_array_equal(found.possible, known.machine.freedom.possible)
        np.testing.assert_array_equal(found.axes, known.machine.frame_convention.axes)
        assert found.arm == float(arm(known.machine))
    monkeypatch.delattr(reading, "analysed")
    assert read() == first
    with pytest.raises(ImportError, match="analysed"):
        kept.findings(heavier(robots[0]))


def test_symbols_are_made_when_somebody_asks(traced):
    gough.Model(ROBOT).jacobian  # noqa: B018  (it is compiled)
    forget()
    traced.clear()
    kernel = gough.Model(ROBOT).jacobian
    assert not traced
    assert kernel.function.name == "jacobian"
    assert traced == ["jacobian"]
    assert kernel.program.n_operations == kernel.description.n_operations
    assert kernel.function.inputs == kernel.description.inputs


def test_a_derivative_is_kept_too(traced):
    first = gough.Model(ROBOT).derivative("inverse_kinematics", "pose")(ROBOT.home)
    forget()
    traced.clear()
    assert np.array_equal(
        gough.Model(ROBOT).derivative("inverse_kinematics", "pose")(ROBOT.home), first
    )
    assert not traced


@pytest.mark.parametrize(
    "make",
    [
        lambda: gough.Model(heavier(ROBOT)).inverse_dynamics,
        lambda: gough.Model(ROBOT, formulation="virtual-work").inverse_dynamics,
        lambda: gough.Model(ROBOT, parametric=True).inverse_dynamics,
        lambda: gough.Model(gough.load("kalani-2016")).inverse_dynamics,
        lambda: gough.Model(ROBOT).forward_dynamics,
    ],
    ids=["a number", "formulation", "parametric", "robot", "kernel"],
)
def test_what_differs_in_anything_is_another(make, traced):
    gough.Model(ROBOT).inverse_dynamics  # noqa: B018  (it is compiled)
    forget()
    traced.clear()
    make()
    assert traced


def test_an_option_of_a_maker_is_in_its_key(traced):
    machines = Machines(ROBOT)
    kernel_of(measure_function, machines, 0.5)
    margin_kernel(ROBOT, ALL_LIMITS)
    forget()
    traced.clear()
    kernel_of(measure_function, machines, float(np.nextafter(0.5, 1.0)))
    assert "singularity" in traced
    traced.clear()
    margin_kernel(ROBOT, replace(ALL_LIMITS, max_condition=100.0))
    assert "margins" in traced


# -- keys -----------------------------------------------------------------------------------------


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A copy of Gough's sources that may be changed; written, it seems, before this process."""
    copy = tmp_path / "sources"
    shutil.copytree(identity.SOURCES, copy)
    monkeypatch.setattr(identity, "SOURCES", copy)
    monkeypatch.setattr(identity, "BEGAN", time.time() + 1000)
    identity.sources.cache_clear()
    yield copy
    identity.sources.cache_clear()


def key():
    identity.sources.cache_clear()
    known = identity.identity(determinant, Machines(ROBOT))
    return None if known is None else known.digest


def test_a_changed_source_file_gives_another_key(sources):
    first = key()
    assert first == key()
    file = sources / "equations" / "machine.py"
    text = file.read_text()
    file.write_text(text.replace("def ", "def  ", 1))
    assert key() not in (first, None)
    file.write_text(text)
    assert key() == first
    file.rename(file.with_name("another.py"))
    assert key() not in (first, None)


def test_sources_of_rooms_that_do_not_make_a_kernel_leave_its_key(sources):
    first = key()
    (sources / "cli" / "main.py").write_text("")
    shutil.rmtree(sources / "report")
    assert key() == first
    (sources / "fields" / "new.py").write_text("")
    assert key() not in (first, None)


def test_a_key_counts_every_room_that_the_rooms_of_a_maker_load(sources):
    made = identity.identity(determinant, Machines(ROBOT))
    loaded = subprocess.run(
        [sys.executable, "-c", "import gough.model.kernels, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    rooms = {name.split(".")[1] for name in loaded.stdout.split() if name.startswith("gough.")}
    counted = {Path(file.path) for file in identity.sources(made.rooms).files}
    for room in rooms:
        assert counted.issuperset((sources / room).rglob("*.py")), room
        assert (sources / room).is_dir() or sources / f"{room}.py" in counted, room


@pytest.mark.parametrize("at", [None, (0, 0)], ids=["now", "long ago"])
def test_sources_that_changed_since_the_process_began_are_not_relied_upon(sources, monkeypatch, at):
    """Nor those that were replaced by copies which keep older times."""
    last = max(file.touched for file in identity.sources().files)
    monkeypatch.setattr(identity, "BEGAN", last / 1e9 + 1e-3)
    assert key() is not None
    os.utime(sources / "equations" / "machine.py", at)
    assert key() is None


def test_a_process_begins_before_it_reads_any_source():
    """The keys' own module may be loaded long after others."""
    code = "import gough, time; t = time.time(); from gough.compiler import identity as i"
    subprocess.run([sys.executable, "-c", f"{code}; assert i.BEGAN < t"], check=True)


def test_sources_are_read_once_and_found_by_their_times_then(sources, folder, monkeypatch):
    first = key()
    identity._room.cache_clear()
    monkeypatch.setattr(identity, "_read", lambda files: pytest.fail(f"read: {files[0].path}"))
    assert key() == first


def test_sources_that_changed_just_now_are_read_again(sources, folder, monkeypatch):
    """A second change may have the same time."""
    monkeypatch.setattr(identity, "SETTLED", 2000.0)  # longer ago than they were written
    identity._room.cache_clear()
    assert key() is not None
    assert not list(folder.glob(f"*{cache.DATA}"))


def test_no_sources_no_key(sources):
    shutil.rmtree(sources)
    assert key() is None


def test_what_was_made_while_sources_changed_is_not_kept(sources, folder):
    assert key() is not None
    (sources / "equations" / "machine.py").touch()
    determinant(Machines(ROBOT))
    assert not list(folder.glob(f"*{cache.DESCRIPTION}"))


def test_other_libraries_give_another_key(monkeypatch):
    first = key()
    monkeypatch.setattr(identity, "_versions", lambda: ["another"])
    assert key() != first


class Point:
    pass


@dataclass(frozen=True)
class NarrowLimits(Limits):
    """Not in Gough's sources."""


DIFFERENT = (
    None, True, 1, 1.0, -0.0, 0.0, np.nextafter(1.0, 2.0), "1", "1.0", (), (1,), (1, 2), ((1,), 2),
    frozenset({1}), frozenset({1, 2}), Argument("x"), Argument("x", (1,)), Argument("", unit="x"),
    ROBOT, DELTA, heavier(ROBOT), Machines(ROBOT), Machines(ROBOT, parametric=True), ALL_LIMITS,
    np.ones(2), np.ones((1, 2)), np.ones(2, int), {}, {1: 2}, {2: 1}, machine_of, layout,
    ca.DM(1.0), ca.DM([1.0, 0.0]), ca.DM([0.0, 1.0]), ca.DM([[1.0, 0.0]]), ca.DM.eye(2),
)  # fmt: skip


def test_values_that_differ_have_different_fingerprints():
    assert len({identity.fingerprint(value) for value in DIFFERENT}) == len(DIFFERENT)


def test_equal_machines_have_the_same():
    again = gough.Robot.from_dict(ROBOT.to_dict())
    other = heavier(ROBOT)
    assert Machines(again).fingerprint == Machines(ROBOT).fingerprint
    assert (
        Machines(other, parametric=True).fingerprint == Machines(ROBOT, parametric=True).fingerprint
    )


@pytest.mark.parametrize(
    "value",
    [
        Point(),
        [Point()],
        lambda: 1,
        np.array([Point()]),
        ca.SX.sym("x"),
        (1, Point()),
        NarrowLimits(),
        key,
    ],
)
def test_what_cannot_be_told_has_no_identity(value):
    with pytest.raises(identity.UnidentifiedError):
        identity.fingerprint(value)
    assert identity.identity(determinant, value) is None


def test_makers_of_others_are_not_kept(folder):
    """Their sources are not among those of the key."""

    @disk_kernels.compiled
    def maker(machines):
        return determinant(machines)

    assert maker(Machines(ROBOT))(ROBOT.home) == determinant(Machines(ROBOT))(ROBOT.home)
    assert identity.identity(key) is None
    assert identity.identity(maker) is None
    assert len(list(folder.glob(f"*{cache.DESCRIPTION}"))) == 1


# -- on disk --------------------------------------------------------------------------------------


def described(folder):
    (file,) = folder.glob(f"*{cache.DESCRIPTION}")
    return file


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.write_bytes(file.read_bytes()[:-1]),
        lambda file: file.write_bytes(
            file.read_bytes().replace(b'"determinant"', b'"determinan_"')
        ),
        lambda file: file.chmod(0o622),
        lambda file: (file.rename(file.with_name("x")), file.symlink_to(file.with_name("x"))),
        lambda file: [code.unlink() for code in file.parent.glob("*.o")],
    ],
    ids=["cut", "changed", "others may write", "a link", "without its code"],
)
def test_what_is_not_whole_or_not_ours_is_made_anew(folder, spoil, traced):
    expected = determinant(Machines(ROBOT))(ROBOT.home)
    spoil(described(folder))
    forget()
    traced.clear()
    assert determinant(Machines(ROBOT))(ROBOT.home) == expected
    assert traced == ["determinant"]
    forget()
    traced.clear()
    determinant(Machines(ROBOT))
    assert not traced


def test_a_description_is_not_a_compiled_kernel_of_its_own(folder):
    determinant(Machines(ROBOT))
    assert cache.info().entries == 1
    assert cache.info().size == sum(f.stat().st_size for f in folder.glob("[!.]*"))
    assert cache.clear() == 1
    assert not list(folder.glob("[!.]*"))


def test_a_folder_that_cannot_be_written_means_no_cache(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path / "file" / "below"))
    first = determinant(Machines(ROBOT))(ROBOT.home)
    forget()
    assert determinant(Machines(ROBOT))(ROBOT.home) == first


def test_libraries_without_metadata_are_known_by_their_versions(monkeypatch):
    egg = SimpleNamespace(read_text=lambda _: None, version="1.2")
    monkeypatch.setattr(identity, "distribution", lambda _: egg)
    assert identity._versions.__wrapped__() == ["1.2"] * len(identity.LIBRARIES)
