"""Springs between bodies and beside joints, whose numbers are estimated with all others."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.identification.consistent import consistent
from gough.identification.friction import spring_numbers
from gough.identification.task import _springs as rebuilt_springs
from gough.motion import expression

SPRING = {"name": "counterbalance", "between": ["base", "platform"]}
SPRING |= {"start": [0.05, 0.6, 0.1], "end": [0.1, 0.4, 0.0]}


def sprung(stiffness, load, damping, **more):
    """A five-bar with a spring between bodies."""
    numbers = {"stiffness": stiffness, "damping": damping} | load
    return gough.load("five-bar").replace({"springs": [SPRING | numbers | more]})


def recorded(robot):
    x, y, z = robot.home[:3]
    waves = "0.05*sin(2*pi*t) + 0.02*sin(6*pi*t)", "0.04*cos(2*pi*t) + 0.02*sin(4*pi*t) - 0.04"
    motion = expression(2.0, x=f"{x} + {waves[0]}", y=f"{y} + {waves[1]}", z=z)
    run = gough.run(gough.Study(robot, motion, rate=400))
    columns = {"time [s]": run.time}
    for k, joint in enumerate(robot.driven):
        columns[f"actuator_position_{joint.name} [rad]"] = run["actuator_position"][:, k]
        columns[f"force_{joint.name} [N m]"] = run["force"][:, k]
    return columns


@pytest.fixture(scope="module")
def recording():
    return recorded(sprung(180.0, {"length": 0.12}, 6.0))


def test_stiffness_free_length_and_damping_are_found(recording):
    stated = sprung(100.0, {"length": 0.2}, 1.0)
    assert gough.identify(stated, recording, friction=["joints"]).residuals.std() > 0.1
    found = gough.identify(stated, recording, friction=["springs", "joints"])
    (spring,) = found.robot.springs
    np.testing.assert_allclose(
        [spring.stiffness, spring.length, spring.damping], [180, 0.12, 6], rtol=1e-4
    )
    names = [parameter.name for parameter in found.parameters]
    assert {"springs[0].force", "springs[0].stiffness", "springs[0].damping"} <= {*names}
    assert found.residuals.std() < 1e-4


def test_known_numbers_stay_and_a_force_is_found_in_their_place(recording):
    stated = sprung(180.0, {"force": 1.0}, 1.0)
    parts, known = ["springs", "joints"], ["springs[0].stiffness"]
    found = gough.identify(stated, recording, friction=parts, known=known)
    (spring,) = found.robot.springs
    assert spring.stiffness == 180.0
    assert spring.length is None
    np.testing.assert_allclose(
        [spring.force, spring.damping], [180 * (spring.length_at_home - 0.12), 6], rtol=1e-4
    )


def test_what_has_no_numbers_of_springs_is_refused(recording):
    points = [{"length": 0.1, "force": -3.0}, {"length": 0.3, "force": 9.0}]
    by_table = gough.load("five-bar").replace({"springs": [SPRING | {"table": points}]})
    for robot in (gough.load("five-bar"), by_table):
        with pytest.raises(GoughError, match="has none whose force is linear"):
            gough.identify(robot, recording, friction=["springs"])


def test_springs_that_a_file_cannot_state_have_their_loads_instead():
    data = sprung(180.0, {"length": 0.12}, 6.0).to_dict()
    k = [joint["name"] for joint in data["joints"]].index("hip-left")
    data["joints"][k]["spring"] = {"stiffness": 5.0, "position": 1.2}
    robot = gough.Robot.from_dict(data)
    beside, own = f"joints[{k}].spring", spring_numbers(robot)
    assert rebuilt_springs(robot, own) == {
        **{n: x for n, x in own.items() if n not in ("springs[0].force", f"{beside}.torque")},
        **{"springs[0].length": pytest.approx(0.12), "springs[0].force": None},
        **{f"{beside}.position": pytest.approx(1.2), f"{beside}.torque": None},
    }
    for soft in (1e-9, 0.0):
        numbers = own | {"springs[0].stiffness": soft, f"{beside}.stiffness": soft}
        found = robot.replace(rebuilt_springs(robot, numbers))
        spring, hinge = found.springs[0], found.listed_joints[k].spring
        assert (spring.length, spring.force) == (None, own["springs[0].force"])
        assert (hinge.position, hinge.torque) == (None, own[f"{beside}.torque"])
        assert (spring.stiffness or 0.0) == (hinge.stiffness or 0.0) == soft


def test_a_spring_that_softens_is_named():
    names, one = ("springs[0].stiffness", "joints[0].damping"), np.eye(2)
    priors, estimate = np.array([50.0, 1.0]), np.array([-44.0, 1.0])
    with pytest.raises(GoughError, match=r"estimate has springs\[0\]\.stiffness = -44$"):
        consistent(names, priors, one, estimate, 1e-9 * one, priors, np.zeros(2))
