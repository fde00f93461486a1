"""Legs with universal joints at both ends: pistons turn in their cylinders with the platform."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.errors import RobotError
from gough.kinematics import random_poses
from gough.poses import displace

AXIAL = {"cylinder": 0.2, "piston": 0.15}


def hexapod(joints, axial=AXIAL):
    """The machine of Kalani with other joints at its legs' ends, as a file of legs."""
    own, legs = gough.load("kalani-2016"), []
    for leg in own.legs:
        links = [
            {
                "name": name,
                "mass": getattr(leg, name).mass,
                "center_of_mass": getattr(leg, name).center_of_mass,
                "inertia": [0.3, 0.3, axial[name]],
            }
            for name in ("cylinder", "piston")
        ]
        first = {"type": "U", "axis": list(leg.first_axis)}
        own_joints = [first if k == 0 else joint for k, joint in enumerate(joints)]
        legs.append(
            {"joints": own_joints, "base": leg.base, "platform": leg.platform, "links": links}
        )
    data = {"schema": "gough/2", "name": "upu", "platform": own.to_dict()["platform"], "legs": legs}
    return gough.Robot.from_dict(data)


UPU = ["U", "C*", {"type": "U", "axis": [1, 0, 0]}]


@pytest.fixture(scope="module")
def models():
    """With universal joints at both ends; with balls, and pistons without axial inertia."""
    still = AXIAL | {"piston": 0.0}
    return [gough.Model(x) for x in (hexapod(UPU), hexapod(["U", "P*", "S"], still))]


@pytest.fixture(scope="module")
def state(models):
    rng = np.random.default_rng(0)
    return random_poses(models[1], 6, rng), *rng.standard_normal((2, 6, 6))


def spins(robot, pose):
    """(legs, 3, 3) attitude of pistons: z along the leg, x across it and the platform's axis."""
    R = Rotation.from_quat(np.roll(pose[3:], -1))
    found = []
    for leg in gough.load("kalani-2016").legs:
        z = pose[:3] + R.apply(leg.platform) - leg.base
        z /= np.linalg.norm(z)
        x = np.cross(R.apply([1.0, 0.0, 0.0]), z)
        x /= np.linalg.norm(x)
        found.append(np.column_stack([x, np.cross(z, x), z]))
    return np.array(found)


def spin_rates(robot, pose, twist, step=1e-6):
    """Each piston's angular velocity about its leg, by differences of its attitude."""
    ahead, behind = (spins(robot, displace(pose, side * step * twist)) for side in (1, -1))
    here = spins(robot, pose)
    turn = (ahead - behind) / (2 * step) @ np.swapaxes(here, 1, 2)  # ω^
    omega = np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], -1)
    return np.einsum("ij,ij->i", omega, here[:, :, 2])


def test_the_structure_is_that_of_six_degrees_of_freedom(models):
    upu = models[0]
    assert str(upu.structure).startswith("legs 6 URP*U; 6 actuators")
    assert upu.structure.mobility == 6
    assert upu.structure.overconstrained == 0


def test_pistons_add_the_energy_of_their_spin(models, state):
    """Half of I_zz times the square of the spin that the platform's joint gives."""
    upu, ups = models
    for pose, twist in zip(state[0], state[1], strict=True):
        spin = spin_rates(upu.robot, pose, twist)
        added = upu.energy(pose, twist)[0] - ups.energy(pose, twist)[0]
        assert added == pytest.approx(AXIAL["piston"] / 2 * np.sum(spin**2), rel=1e-7)


def test_forces_are_the_rate_of_that_energy(models, state):
    """Power of the additional forces is the rate of the spin's energy along a motion."""
    upu, ups = models
    pose, twist, acceleration = (x[0] for x in state)
    h = 1e-5

    def energy(t):
        moved = displace(pose, t * twist + t**2 / 2 * acceleration)
        at = twist + t * acceleration
        return sum(m.energy(moved, at)[0] * s for m, s in ((upu, 1), (ups, -1)))

    force = upu.inverse_dynamics(pose, twist, acceleration)
    force = force - ups.inverse_dynamics(pose, twist, acceleration)
    power = force @ upu.joint_velocity(pose, twist)
    assert power == pytest.approx((energy(h) - energy(-h)) / (2 * h), rel=1e-4)
    assert np.abs(force).max() > 0.1


def test_forward_dynamics_is_the_inverse_of_inverse_dynamics(models, state):
    upu = models[0]
    force = upu.inverse_dynamics(*state)
    np.testing.assert_allclose(
        upu.forward_dynamics(*state[:2], force), state[2], rtol=1e-8, atol=1e-8
    )


def test_lengths_are_those_of_other_legs(models, state):
    upu, ups = models
    np.testing.assert_allclose(
        upu.inverse_kinematics(state[0]), ups.inverse_kinematics(state[0]), atol=1e-12
    )


def test_an_axis_of_the_leg_is_that_of_both_universal_joints():
    """The piston still slides along the leg, and the motor is that of its slide."""
    data = {
        "schema": "gough/2",
        "name": "short",
        "platform": {
            "mass": 20, "inertia": [0.4, 0.4, 0.7],
            "home": {"position": [0, 0, 0.7], "rpy": [0, 0, "5 deg"]},
        },
        "leg": {
            "joints": ["U", "C*", "U"], "axis": [0, 1, 0],
            "links": [{"name": "cylinder"}, {"name": "piston", "mass": 1, "center_of_mass": 0.2}],
            "motor": {"stroke": [0.6, 0.95], "max_force": 800},
        },
        "legs": [
            {"base": [0.5, y, 0], "platform": [0.2, 2.75 * y, 0]} for y in (0.08, -0.08)
        ],
        "pattern": {"copies": 3},
    }  # fmt: skip
    robot = gough.Robot.from_dict(data)
    assert [joint.name for joint in robot.joints[:4]] == [
        "hip-1",
        "slide-turn-1",
        "slide-1",
        "wrist-1",
    ]
    slide = robot.driven[0]
    assert (slide.type, slide.max_force, slide.stroke) == ("P", 800.0, (0.6, 0.95))
    along = np.array(robot.joints[3].at) - robot.joints[0].at
    assert slide.home == pytest.approx(np.linalg.norm(along))
    np.testing.assert_allclose(np.cross(slide.axis, along), 0.0, atol=1e-12)
    np.testing.assert_allclose(robot.joints[1].axis, slide.axis)
    with pytest.raises(RobotError, match=r"leg.motor.max_torque"):
        gough.Robot.from_dict(data | {"leg": data["leg"] | {"motor": {"max_torque": 1.0}}})


def test_what_does_not_fit_is_refused():
    with pytest.raises(RobotError, match="2 links between 4 joints"):
        hexapod(["U", "C*", "R", "S"])
    leg = gough.load("kalani-2016").legs[0]
    along = np.array(leg.platform) + [0.0, 0.0, 1.0] - leg.base
    with pytest.raises(RobotError, match="its axis is parallel to its link"):
        hexapod(["U", "C*", {"type": "U", "axis": along.tolist()}])
    with pytest.raises(Exception, match="upu has no formulation 'kane'"):
        gough.Model(hexapod(UPU), formulation="kane")
