"""What objects say of themselves is short: counts, names and units, never arrays in full."""

import importlib
import inspect
from dataclasses import is_dataclass
from enum import Enum

import numpy as np
import pytest
from test_front_doors import DOORS, SOURCE, offered, room_of

import gough
from gough import kinematics, motion, simulation
from gough.display import brief, spelled_out
from gough.model import Machines

LONGEST = 320
HEXAPOD, DELTA = gough.load("demo-hexapod"), gough.load("delta")
HOME = np.array(HEXAPOD.home)
MODEL = gough.Model(HEXAPOD)
LINE = motion.line(HEXAPOD.home, [0.01, 0, 0.02], motion.Quintic(0.1))
STUDY = {
    "schema": "gough-study/1",
    "name": "lift",
    "robot": "demo-hexapod",
    "motion": {"kind": "line", "displacement": [0.01, 0, 0.02], "duration": 0.1},
    "samples": 101,
}
FACTORS = {"name": "load", "parameter": "robot.platform.mass", "factors": [1, 2, 3]}
CONTROLLED = {**STUDY, "controller": {"kind": "pd-gravity", "gains": {"kp": 1e5, "kd": 1e4}}}
ROWS = [[float(k)] * 3 for k in range(500)]


def shown():
    results = gough.run(STUDY)
    yield from (results, *results.quantities.values(), *results.summary.values())
    grid = gough.run({**STUDY, "variations": [FACTORS]})
    yield from (grid, *grid.figures.values())
    study, run = gough.Study.from_dict(STUDY), gough.Study.from_dict(CONTROLLED)
    cases = [{"name": "one", "changes": {}}, {"name": "two", "changes": {}}]
    followed = gough.run({**CONTROLLED, "cases": cases})
    yield from (study, run, gough.run(run), run.controller, run.plant, followed)


def of_machines():
    for robot in (HEXAPOD, DELTA):
        model, home = gough.Model(robot), np.array(robot.home)
        q = model.inverse_kinematics(home)
        poses = np.tile(home, (50, 1))
        yield from (robot, robot.platform, *robot.actuators, robot.written, model, model.structure)
        yield from (model.inverse_kinematics, model.function("inverse_dynamics"), Machines(robot))
        yield from (model.inverse_kinematics.program, model.singularity(poses))
        yield from (model.forward_kinematics(np.tile(q, (50, 1)), home), model.possible_pose(poses))
        yield from (model.branches(home), kinematics.pose_violation(robot, poses))
        yield simulation.real_plant(robot)
    yield from HEXAPOD.legs
    yield MODEL.assembly_modes(MODEL.inverse_kinematics(HOME))


def of_motions():
    yield from (LINE, LINE(np.linspace(0, 0.1, 500)), LINE.profile)
    yield motion.sequence(*[LINE, motion.hold(LINE(0.1).pose, 0.1)])
    yield motion.stretched(LINE, 0.3)
    yield motion.waypoints([0.0, 0.5, 1.0], [HEXAPOD.home, LINE(0.1).pose, HEXAPOD.home])
    yield motion.Tabulated(list(range(500)), ROWS, ROWS)


def of_simulations():
    plant = simulation.rigid_plant(HEXAPOD)
    yield simulation.Stepper(plant)
    yield simulation.ClosedLoop(plant, simulation.joint_pid(1e5, 1e4), HEXAPOD)
    batch = {"platform.mass": np.linspace(100, 200, 30)}
    yield simulation.simulate_batch(
        simulation.Scenario(HEXAPOD, simulation.pd_gravity(1e5, 1e4), LINE, every=10), batch
    )


@pytest.mark.parametrize("things", [shown, of_machines, of_motions, of_simulations])
def test_an_object_says_what_it_is_in_a_line_or_two(things):
    for thing in things():
        text = repr(thing)
        assert len(text) <= LONGEST, text
        assert " at 0x" not in text, text
        assert "\n" not in text, text


def classes():
    for door in DOORS:
        room = importlib.import_module(room_of(door))
        for name in offered(door):
            thing = getattr(room, name)
            if inspect.isclass(thing) and not issubclass(thing, Exception | Enum):
                yield thing


def test_every_class_with_arrays_says_shapes_instead():
    """The repr that dataclasses and named tuples have by themselves prints arrays in full."""
    for kind in set(classes()):
        notes = " ".join(str(note) for note in inspect.get_annotations(kind).values())
        if is_dataclass(kind) and ("Array" in notes or "dict[" in notes):
            assert kind.__repr__.__code__.co_filename.startswith(str(SOURCE)), kind


def test_results_say_what_matters():
    found = gough.run(STUDY)
    assert repr(found) == (
        "<gough results of lift: demo-hexapod, 101 samples of 45 quantities, warnings: 0>"
    )
    assert repr(found.quantity("force")) == "<gough quantity force [N]: 101 x 6>"


def test_a_line_has_few_numbers_and_a_full_text_all():
    none = [[0.0] * 3] * 500
    few, many = (
        motion.Tabulated([0, 1], [[1, 2, 3]] * 2, none[:2]),
        motion.Tabulated(list(range(500)), ROWS, none),
    )
    assert "forces=[[1, 2, 3], [1, 2, 3]]" in brief(few)
    assert "forces=500 items" in repr(many)
    assert "[499.0, 499.0, 499.0]" in spelled_out(many)
