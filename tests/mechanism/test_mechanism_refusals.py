"""Machines that cannot be: refused with the reason and the number."""

import numpy as np
import pytest
from drawings import Body, Joint, Mechanism, Platform, changed
from drawn_machines import (
    delta,
    four_bar,
    planar,
    two_motors_a_leg,
)

from gough.errors import RobotError
from gough.model.mechanism import analysed
from gough.model.mechanism.decisions.freedoms import refuse_undriven
from gough.model.mechanism.decisions.samples import Sample
from gough.robot import Robot, load


def with_moves(machine, *moves):
    return changed(machine, platform=changed(machine.platform, moves=moves))


def changed_moves(machine, moves):
    data = machine.to_dict()
    return data | {"platform": data["platform"] | {"moves": moves}}


def with_joint(machine, name, **changes):
    joints = tuple(changed(j, **changes) if j.name == name else j for j in machine.joints)
    return changed(machine, joints=joints)


def test_moves_must_be_as_many_as_freedoms():
    with pytest.raises(RobotError) as refused:
        analysed(with_moves(delta(0), "x", "y", "z", "rx", "ry", "rz"))
    assert (refused.value.key, refused.value.expected[:9]) == ("platform.moves", "3 of them")


def test_moves_must_determine_the_motion():
    with pytest.raises(RobotError) as refused:
        analysed(with_moves(planar(0), "x", "y", "z"))
    assert (refused.value.key, refused.value.expected) == (
        "platform.moves",
        "others, such as x, y, rz",
    )


def test_the_one_move_of_a_machine_must_determine_its_motion():
    with pytest.raises(RobotError) as refused:
        analysed(with_moves(four_bar(0), "z"))
    assert (refused.value.key, refused.value.expected) == ("platform.moves", "others, such as x")


def test_moves_must_determine_the_motion_at_home():
    """A 3-RPS turns about z only where it is tilted: not at all where it stands straight."""
    with pytest.raises(RobotError) as refused:
        analysed(with_moves(load("tripod-3rps"), "z", "rx", "rz"))
    assert (refused.value.key, refused.value.expected) == (
        "platform.moves",
        "others, such as z, rx, ry",
    )


def test_a_move_is_no_row_of_zeros():
    with pytest.raises(RobotError) as refused:
        Robot.from_dict(changed_moves(planar(0), ["x", [0, 0, 0, 0, 0, 0], "rz"]))
    assert (refused.value.key, refused.value.value) == ("platform.moves[1]", [0] * 6)


def test_a_platform_that_cannot_move_is_refused():
    machine = planar(0)
    post = Joint("post", "R", ("base", "platform"), (0.3, 0.0, 0.0), ((1.0, 0.2, 0.0),))
    with pytest.raises(RobotError) as refused:
        analysed(changed(machine, joints=(*machine.joints, post)))
    assert refused.value.key == "joints"
    assert "the platform cannot move" in refused.value.problem


def test_there_are_no_fewer_motors_than_freedoms():
    with pytest.raises(RobotError) as refused:
        analysed(with_joint(planar(0), "hip1", driven=False))
    assert (refused.value.key, refused.value.expected) == ("joints", "at least 3")


def test_motors_must_hold_the_platform():
    """All motors in two of three legs: the platform turns about the line between their balls."""
    machine = two_motors_a_leg(0)
    joints = tuple(
        changed(j, driven=j.type == "R" and not j.name.endswith("2")) for j in machine.joints
    )
    with pytest.raises(RobotError) as refused:
        analysed(changed(machine, joints=joints))
    assert refused.value.expected == "driven joints that hold the platform"


def test_a_body_needs_joints():
    machine = planar(0)
    lost = changed(machine, bodies=(*machine.bodies, Body("lost", 1.0)))
    with pytest.raises(RobotError) as refused:
        analysed(lost)
    assert (refused.value.key, refused.value.expected) == ("lost", "joints that hold it")


def test_a_platform_that_is_fixed_to_the_base_is_refused():
    platform = Platform(1.0, ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0)))
    joint = Joint("weld", "fixed", ("base", "platform"), (0.0, 0.0, 0.0))
    with pytest.raises(RobotError) as refused:
        analysed(Mechanism("stone", platform, (), (joint,)))
    assert refused.value.key == "weld"


@pytest.mark.parametrize(
    ("changes", "key", "value", "expected"),
    [
        ({"type": "X"}, "type", "X", 'one of "R", "P"'),
        ({"type": "U"}, "axis", None, "axes"),
        ({"type": "S", "driven": True}, "driven", None, "one of name, between"),
        (
            {"type": "U", "axis": None, "axes": [[0, 1, 0], [0, -2, 0]]},
            "axes",
            ((0.0, 1.0, 0.0), (0.0, -1.0, 0.0)),
            "two axes across each other",
        ),
        ({"axis": (0.0, 0.0, 0.0)}, "axis", (0.0, 0.0, 0.0), "a direction"),
        ({"between": ("base", "crank9")}, "between[1]", "crank9", "one of base, crank0"),
        ({"between": ("base", "base")}, "between", ("base", "base"), "two different bodies"),
        ({"name": "hip0"}, "name", "hip0", "another one"),
        ({"max_torque": 3.0}, "max_torque", 3.0, "driven = true, or no such key"),
        ({"range": (-45, 80)}, "range[0]", -45, 'or "-45 deg"?'),
        ({"range": (0.1, 0.2)}, "range", (0.1, 0.2), "limits with the position at home"),
    ],
)
def test_a_joint_is_drawn_completely(changes, key, value, expected):
    data = planar(0).to_dict()
    joint = {"name": "new", "type": "R", "between": ["base", "platform"], "at": [0, 0, 0]}
    joint = joint | {"axis": [0, 0, 1]} | changes
    data["joints"].append({key: value for key, value in joint.items() if value is not None})
    with pytest.raises(RobotError) as refused:
        Robot.from_dict(data)
    (found,) = (x for x in refused.value.problems if x.key == f"joints[9].{key}")
    assert found.value == value
    assert expected in found.expected


def test_welded_bodies_are_one():
    """A body that is fixed to another one adds its mass, wherever the weld is drawn."""
    machine = planar(0)
    half = tuple(
        changed(
            body, mass=body.mass / 2, inertia=tuple(tuple(x / 2 for x in r) for r in body.inertia)
        )
        if body.name == "link1"
        else body
        for body in machine.bodies
    )
    twin = changed(next(body for body in half if body.name == "link1"), name="twin")
    weld = Joint("weld", "fixed", ("twin", "link1"), (9.0, 9.0, 9.0))
    split = changed(machine, bodies=(*half, twin), joints=(*machine.joints, weld))
    whole, parts = analysed(machine).machine, analysed(split).machine
    for ours, theirs in zip(whole.legs[1].joints, parts.legs[1].joints, strict=True):
        for mine, other in ((ours.body.sigma, theirs.body.sigma), (ours.body.ms, theirs.body.ms)):
            np.testing.assert_allclose(np.array(mine), np.array(other), rtol=1e-12, atol=1e-15)


def test_rods_and_legs_that_spin_unnoticed_are_named():
    rods = [body.name for body in delta(0).bodies if body.name.startswith("rod")]
    assert analysed(delta(0)).structure.passive_rotations == tuple(rods)
    assert analysed(delta(0, "US")).structure.passive_rotations == ()


def test_motors_that_leave_the_platform_free_are_refused():
    """Of two gantries side by side those of the same direction are driven."""
    slides = [{"type": "P*", "axis": [1, 0, 0]}, {"type": "P", "axis": [0, 1, 0]}]
    legs = [
        {"joints": slides, "base": [0, y, 0], "platform": [0, y, 0], "links": [{"name": "cross"}]}
        for y in (0.3, -0.3)
    ]
    platform = {"mass": 1, "inertia": [1, 1, 1], "home": {"position": [0, 0, 0]}}
    data = {"schema": "gough/2", "name": "gantries", "legs": legs}
    with pytest.raises(RobotError, match="1 of the platform's degrees of freedom remain free"):
        analysed(Robot.from_dict(data | {"platform": platform | {"moves": ["x", "y"]}}))


def test_motors_that_hold_the_platform_at_one_sample_are_not_refused():
    """One slide along x; at the singular sample it is stretched out, and x is free."""
    held, free = (np.diag([x, 1.0, 1.0, 1.0, 1.0, 1.0]) for x in (1.0, 0.0))
    slide = [np.eye(6)[:, :1]]
    regular, singular = (
        Sample([np.zeros(1)], np.zeros(3), np.eye(3), slide, [B], np.ones(6)) for B in (held, free)
    )
    refuse_undriven([singular, regular], [(0, 0)])
    with pytest.raises(RobotError, match="remain free"):
        refuse_undriven([singular], [(0, 0)])
