"""Forces of studies count all that resists in the joints: their work is stored or lost."""

import numpy as np
import pytest
from scipy.integrate import simpson

import gough
from gough.analysis.limits import forces_include
from gough.equations.forces.passive_joints import TURNING_FADE
from gough.motion import Constant, Quintic, line
from gough.simulation import real_plant
from gough.studies import Outputs, Study
from gough.studies.run import run

FRICTION = {
    "base_damping": 0.8, "base_friction": 2.0, "platform_damping": 0.5, "platform_friction": 1.5
}  # fmt: skip
FLEXURES = {"base_bending": 400.0, "platform_bending": 300.0, "platform_torsion": 250.0}
HEXAPOD = {
    "joint_friction": FRICTION, "joint_stiffness": FLEXURES, "connector": {"damping": 600.0}
}  # fmt: skip
BARS = {
    "hip-left": {"damping": 0.3, "friction": 0.4},
    "elbow-left": {"damping": 0.2, "friction": 0.1, "stiffness": 3.0},
    "hip-right": {"friction": 0.5},
    "elbow-right": {"stiffness": 2.0},
    "tip-right": {"damping": 0.25, "stiffness": 4.0},
}
ASKED = ("motion", "legs", "forces", "joint_speed", "joint_position", "joint_share")
ASKED += ("motor_current", "wrench_margin")
SAMPLES = 4001
PUSH = (Constant((30.0, -20.0, 10.0)),)


def hexapod(**facts):
    """The demonstration hexapod whose legs state no more than these facts about their joints."""
    data = gough.load("demo-hexapod").to_dict()
    for key in ("joint_friction", "joint_stiffness", "connector", "stiffness", "screw"):
        data["leg"].pop(key, None)
    data["leg"] |= facts
    return gough.Robot.from_dict(data)


def five_bar(by_joint):
    """The five-bar whose joints state no more than these facts about friction and springs."""
    data = gough.Robot.from_dict(gough.load("five-bar").to_dict()).to_dict()
    for joint in data["joints"]:
        for key in ("damping", "friction", "stiffness"):
            joint.pop(key, None)
        joint.update(by_joint.get(joint["name"], {}))
    return gough.Robot.from_dict(data)


def done(robot, tasks=()):
    """A motion out of home that goes to and fro, and the study of it."""
    move = [0.04, 0.03, 0.05] if len(robot.actuators) == 6 else [0.05, -0.06, 0]
    motion = line(robot.home, move, Quintic(0.8))
    return run(Study(robot, motion, tasks, samples=SAMPLES, outputs=Outputs(quantities=ASKED)))


def faded(rate, fade):
    """The sign of a rate, smooth about zero."""
    return rate / np.sqrt((rate**2) + fade**2)


def lost_in_hexapod(robot, found):
    """Power [W] that passive joints and transmissions take, from rates of the joints."""
    model = gough.Model(robot)
    rates = model.all_joints(found["pose"], found["twist"]).velocity
    at_base = rates.reshape(-1, 6, 3)[..., :2]
    omega = found["twist"][:, None, 3:]
    at_platform = omega - model.leg_angular_velocity(found["pose"], found["twist"])
    speed = np.linalg.norm(at_platform, axis=-1)
    base = FRICTION["base_damping"] * at_base + FRICTION["base_friction"] * faded(
        at_base, TURNING_FADE
    )
    platform = FRICTION["platform_damping"] * speed + FRICTION["platform_friction"] * faded(
        speed, TURNING_FADE
    )
    in_legs = 600.0 * found["leg_speed"] ** 2
    return (base * at_base).sum((1, 2)) + (platform * speed).sum(1) + in_legs.sum(1)


def by_hinge(robot, of_joints, of_platform):
    """Angles or rates of all hinges by name; the platform is the left link."""
    found = dict(zip(gough.Model(robot).structure.joints, of_joints.T, strict=True))
    found["elbow-left"] = of_platform - found["hip-left"]
    return found | {"tip-right": of_platform - found["hip-right"] - found["elbow-right"]}


def lost_in_bars(robot, found):
    """Power [W] that all hinges take."""
    rates = by_hinge(robot, found["joint_speed"], found["twist"][:, 5])
    power = 0.0
    for name, facts in BARS.items():
        rate = rates[name]
        dry = facts.get("friction", 0.0) * faded(rate, TURNING_FADE)
        power += (facts.get("damping", 0.0) * rate + dry) * rate
    return power


@pytest.mark.parametrize(
    ("robot", "lost"),
    [(hexapod(**HEXAPOD), lost_in_hexapod), (five_bar(BARS), lost_in_bars)],
    ids=["hexapod", "five-bar"],
)
def test_work_of_actuators_and_loads_is_stored_or_lost_in_the_joints(robot, lost):
    found = done(robot, PUSH)
    given = simpson(found["power"].sum(1), x=found.time)
    pushed = simpson((found["wrench"] * found["twist"]).sum(1), x=found.time)
    taken = simpson(lost(robot, found), x=found.time)
    stored = found["energy"].sum(1) + found["spring_energy"]
    assert found["spring_energy"][0] == pytest.approx(0, abs=1e-12)
    assert min(taken, found["spring_energy"][-1]) > 0.02 * abs(given)
    assert given + pushed == pytest.approx(stored[-1] - stored[0] + taken, rel=1e-6)


@pytest.mark.parametrize("robot", [hexapod(**HEXAPOD), five_bar(BARS)], ids=["hexapod", "five-bar"])
def test_a_plant_under_the_forces_of_a_study_does_its_motion(robot):
    found = done(robot, PUSH)
    plant = real_plant(robot, drives=False, stops=False)
    at = np.arange(0, SAMPLES, 400)
    state = np.hstack([found["pose"][at], found["twist"][at]])
    rate = plant.rate_kernel(state, found["force"][at], found["wrench"][at])
    np.testing.assert_allclose(rate[:, 7:13], found["acceleration"][at], atol=1e-8)


def test_springs_of_bars_hold_what_their_turns_since_home_say():
    robot = five_bar(BARS)
    found = done(robot)
    angle = 2 * np.arctan2(found["pose"][:, 6], found["pose"][:, 3])
    turned = found["joint_position"] - gough.Model(robot).all_joints(robot.home).position
    turns = by_hinge(robot, turned, angle)
    energy = sum(facts.get("stiffness", 0.0) * turns[name] ** 2 / 2 for name, facts in BARS.items())
    np.testing.assert_allclose(found["spring_energy"], energy, atol=1e-12)


@pytest.mark.parametrize("key", ["damping", "friction"])
def test_friction_of_driven_joints_is_what_their_motors_need_more(key):
    free, rubbing = five_bar({}), five_bar({"hip-left": {key: 0.7}})
    found, more = done(free), done(rubbing)
    speed = found["actuator_speed"][:, 0]
    own = 0.7 * (speed if key == "damping" else faded(speed, TURNING_FADE))
    extra = more["force"] - found["force"]
    np.testing.assert_allclose(extra, np.column_stack([own, 0 * own]), atol=1e-12)
    assert np.abs(more["motor_current"] - found["motor_current"]).max() > 0.1
    assert np.abs(more["wrench_margin"] - found["wrench_margin"]).max() > 0.1
    np.testing.assert_allclose(more["joint_share"], extra, atol=1e-12)


def test_a_machine_that_states_no_friction_has_the_equations_of_rigid_bodies():
    model = gough.Model(hexapod())
    functions = [model.function(name) for name in ("inverse_dynamics", "actuator_force")]
    counts = [function.casadi.n_instructions() for function in functions]
    assert counts[0] == counts[1]


def test_reports_list_what_forces_include_and_what_the_file_does_not_state():
    included, missing = (forces_include(robot) for robot in (hexapod(**HEXAPOD), hexapod()))
    assert "friction of passive joints" in included.stated
    assert "friction of passive joints" in missing.not_stated
