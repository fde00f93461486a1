"""Legs by their Khalil-Kleinfinger parameters: files that state them, and the way back."""

import numpy as np
import pytest

import gough
from gough.errors import RobotError
from gough.kinematics import leg_parameters, random_poses

KEYS = ("gamma", "b", "alpha", "d", "theta", "r")


def hexapod(robot):
    """A UPS hexapod as a file of chains, with cylinder and piston in their joints' frames."""
    chains = []
    rows = leg_parameters(robot).to_dict()["legs"]
    for leg, table in zip(robot.legs, rows, strict=True):
        one, two, three = (dict(row) for row in table)
        for row, part, along, order in (  # of a leg's own axes a_2, s x a_2 and s
            (two, leg.cylinder, [0, -1, 0], [1, 2, 0]),
            (three, leg.piston, [0, 0, -1], [1, 0, 2]),
        ):
            row["link"] = {
                "mass": part.mass,
                "center_of_mass": (part.center_of_mass * np.array(along)).tolist(),
                "inertia": np.diag(part.inertia)[order].tolist(),
            }
        chains.append({"joints": [one, two, three], "platform": list(leg.platform)})
    return {
        "schema": "gough/2",
        "name": "chains",
        "platform": robot.to_dict()["platform"],
        "chains": chains,
    }


@pytest.fixture(scope="module")
def robot():
    """One whose legs are not symmetric: cylinder and piston have three moments."""
    inertia = {"cylinder": [0.3, 0.5, 0.2], "piston": [0.2, 0.1, 0.15]}
    changes = {f"leg.{part}.inertia": x for part, x in inertia.items()}
    return gough.load("kalani-2016").replace(changes)


@pytest.fixture(scope="module")
def data(robot):
    return hexapod(robot)


def test_a_table_and_its_file_say_the_same(robot, data):
    there = leg_parameters(robot)
    back = leg_parameters(gough.Robot.from_dict(data))
    for leg, other in zip(there.legs, back.legs, strict=True):
        assert [x.name for x in leg] == [x.name for x in other]
        assert [(x.before, x.driven, x.slides) for x in leg] == [
            (x.before, x.driven, x.slides) for x in other
        ]
        np.testing.assert_allclose(
            [[getattr(x, key) for key in KEYS] for x in leg],
            [[getattr(x, key) for key in KEYS] for x in other],
            atol=1e-12,
        )


def test_the_machine_moves_and_weighs_as_the_hexapod(robot, data):
    one, other = gough.Model(robot), gough.Model(gough.Robot.from_dict(data))
    rng = np.random.default_rng(0)
    pose, (twist, acceleration) = random_poses(one, 8, rng), rng.standard_normal((2, 8, 6))
    np.testing.assert_allclose(
        other.inverse_kinematics(pose), one.inverse_kinematics(pose), atol=1e-12
    )
    forces = one.inverse_dynamics(pose, twist, acceleration)
    np.testing.assert_allclose(
        other.inverse_dynamics(pose, twist, acceleration), forces, atol=1e-10 * np.abs(forces).max()
    )


def test_a_planar_leg_ends_beside_its_last_frame():
    """Parallel axes, a hinge that closes the loop, and an end away from the last frame's origin."""
    robot = gough.load("planar-3rrr")
    rows = leg_parameters(robot).to_dict()["legs"]
    home = gough.poses.transform(np.array(robot.home), np.zeros(3))
    wrists = [joint for joint in robot.joints if "platform" in joint.between]
    chains = []
    for k, (table, wrist) in enumerate(zip(rows, wrists, strict=True)):
        elbow = next(j for j in robot.joints if j.name == table[1]["name"])
        length = np.linalg.norm(np.array(wrist.at) - elbow.at)
        chains.append(
            {
                "joints": table,
                "closing": {"type": "R", "axis": [0, 0, 1], "name": f"wrist {k}"},
                "end": [length, 0, 0],
                "platform": (np.array(wrist.at) - home).tolist(),
            }
        )
    data = robot.to_dict()
    made = gough.Robot.from_dict(
        {"schema": "gough/2", "name": "rrr", "platform": data["platform"], "chains": chains}
    )
    for leg, other in zip(rows, leg_parameters(made).to_dict()["legs"], strict=True):
        for x, y in zip(leg, other, strict=True):
            assert [x[key] for key in KEYS] == pytest.approx([y[key] for key in KEYS], abs=1e-12)
    pose = gough.poses.displace(np.array(robot.home), [0.02, -0.01, 0, 0, 0, 0.1])
    moved = [
        m.inverse_kinematics(pose) - m.inverse_kinematics(m.robot.home)
        for m in map(gough.Model, (robot, made))
    ]
    np.testing.assert_allclose(moved[0], moved[1], atol=1e-12)


def test_positions_are_theta_and_r_and_values_are_those_of_joints(data):
    changed = {**data, "chains": [dict(chain) for chain in data["chains"]]}
    first = changed["chains"][0]
    first["joints"] = [dict(row) for row in first["joints"]]
    r = first["joints"][2]["r"]
    first["joints"][2]["values"] = {"stroke": [r - 0.1, r + 0.1], "max_force": 500.0}
    robot = gough.Robot.from_dict(changed)
    assert robot.driven[0].home == r
    assert robot.driven[0].max_force == 500.0


def altered(data, key, value):
    """The file with one thing changed, at a path such as chains.0.joints.1.before."""
    if not key:
        return value
    name, _, rest = key.partition(".")
    name = int(name) if name.isdigit() else name
    inside = list(data) if isinstance(data, (list, tuple)) else dict(data)
    old = inside[name] if isinstance(name, int) or name in inside else None
    inside[name] = altered(old, rest, value)
    return inside


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("chains.0.platform", [0, 0, 0], r"chains\[0\].platform: the loop is open at home"),
        ("chains.0.joints.2.r", 0.3, "the loop is open at home: the chain ends"),
        ("chains.1.joints.1.before", "knee", r"chains\[1\].joints\[1\].before: .*'knee'"),
        ("chains.1.joints", [], r"chains\[1\].joints: no rows"),
        ("chains.2.to", "ceiling", r"chains\[2\].to: unknown key"),
        ("chains.3.closing", "R*", r"chains\[3\].closing: cannot close a loop, got 'R\*'"),
        ("chains.3.closing", {"type": "R"}, r"chains\[3\].closing.axis: missing"),
        ("chains.4.joints.2.values", {"position_at_home": 1.0}, "given by its row"),
        ("chains.4.joints.2.values", {"max_torque": 1.0}, r"joints\[2\].values.max_torque"),
        ("chains.5.joints.0.gamma", "1 kg", r"chains\[5\].joints\[0\].gamma"),
        ("chains.5.joints.0.gamma", float("nan"), r"chains\[5\].joints\[0\].gamma"),
        ("chains.5.joints.0.link", {"mass": -1}, r"chains\[5\].joints\[0\].link.mass"),
    ],
)
def test_what_is_no_leg_is_refused_by_its_key(data, key, value, words):
    with pytest.raises(RobotError, match=words):
        gough.Robot.from_dict(altered(data, key, value))
