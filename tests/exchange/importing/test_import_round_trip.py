"""Gough to a file of another tool and back: to the last bit, and by others' eyes to rounding."""

import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
from drawn_machines import MACHINES, turned
from hypothesis import given, settings
from robot_samples import robots

import gough
from gough.errors import GoughError
from gough.exchange import export_machine, imported
from gough.robot import Hexapod

FORMATS = ("mjcf", "urdf")
LIBRARY = gough.library_names()


@cache
def exported(name, to):
    return written(gough.load(name), to)


def written(robot, to):
    paths = export_machine(robot, Path(mkdtemp()), to)
    return paths[0], paths[1] if len(paths) > 1 else None


def read(paths, **options):
    return imported(paths[0], loops=paths[1], **options).robot


def without_drives(robot):
    """The machine with nothing behind its joints, where MJCF has rotors."""
    data = robot.to_dict()
    for part in (data.get("leg", {}), *data.get("legs", ()), *data.get("joints", ())):
        part.pop("drive", None)
    return gough.Robot.from_dict(data)


def by_others(paths):
    """The same files without the mark that says who wrote them."""
    for path in filter(None, paths):
        path.write_text(path.read_text().replace("made by Gough", "written by somebody"))
    return paths


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("name", LIBRARY)
def test_a_library_robot_comes_back_to_the_last_bit(name, to):
    robot, found = gough.load(name), read(exported(name, to))
    assert found == robot
    assert found.fingerprint == robot.fingerprint
    assert found.to_dict() == robot.to_dict()


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("name", ["four-bar", "6-SPU", "3-UPU", "3-RSS and fixed rods"])
def test_so_do_machines_with_any_joint_in_their_loops(name, to):
    robot = MACHINES[name](1)
    assert read(written(robot, to)) == robot


@pytest.mark.parametrize("to", FORMATS)
def test_so_do_machines_whose_platform_is_turned_at_home(to):
    robot = turned(MACHINES["3-RRR"](0), 1)
    assert read(written(robot, to)) == robot


@settings(max_examples=6, deadline=None)
@given(robots())
def test_random_hexapods_come_back_to_the_last_bit(robot):
    robot = robot.model_copy(update={"name": "random"})  # XML cannot say any text
    assert read(written(robot, "urdf")) == robot


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("name", ["demo-hexapod", "delta", "planar-3rrr", "tripod-3rps"])
def test_who_does_not_know_that_gough_wrote_it_reads_the_same_machine(name, to):
    robot = without_drives(gough.load(name))
    found = read(by_others(written(robot, to)))
    assert type(found) is type(robot)
    model, rng = gough.Model(robot), np.random.default_rng(4)
    pose = np.array(robot.home)
    T = np.eye(6) if isinstance(robot, Hexapod) else model.twist_basis(pose)
    motion = pose, T @ rng.standard_normal(T.shape[1]), np.zeros(6), rng.standard_normal(6)
    efforts = model.inverse_dynamics(*motion)
    again = gough.Model(found).inverse_dynamics(*motion)
    assert np.abs(again - efforts).max() < 1e-9 * max(np.abs(efforts).max(), 1.0)
    assert [a.name for a in found.actuators] == [a.name for a in robot.actuators]


def test_a_file_that_gough_wrote_is_read_without_mujoco(monkeypatch):
    paths = exported("delta", "mjcf")
    monkeypatch.setitem(sys.modules, "mujoco", None)
    assert read(paths) == gough.load("delta")


def test_files_of_two_machines_are_not_taken_for_one():
    urdf, loops = exported("delta", "urdf")[0], exported("planar-3rrr", "urdf")[1]
    with pytest.raises(GoughError, match="no such frame"):
        read((urdf, loops))


def test_a_file_that_somebody_changed_is_read_as_it_is_now():
    file, _ = written(gough.load("delta"), "mjcf")
    file.write_text(file.read_text().replace('mass="0.9"', 'mass="2.5"'))
    assert read((file, None)).platform.mass == 2.5


def test_limits_that_stand_for_none_are_none():
    data = gough.load("demo-hexapod").to_dict()
    for key in ("stroke", "max_force", "max_speed", "stop"):
        del data["leg"][key]
    robot = gough.robot.Robot.from_dict(data)
    for leg in read(by_others(written(robot, "urdf"))).legs:
        assert (leg.stroke, leg.max_force, leg.max_speed) == (None, None, None)
