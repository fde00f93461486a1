"""Springs of passive joints in machines of many kinds: they keep what they are given."""

import numpy as np
import pytest
from drawings import Mechanism, changed
from drawn_machines import MACHINES
from oracles.pinocchio_mechanism import PinocchioMechanism

from gough.compiler.front.argument import Argument
from gough.equations.forces.passive_joints import spring_energy, spring_wrench
from gough.kinematics.freedoms.nearest_pose import possible_pose
from gough.model.definition import POSE
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.poses import displace

KINDS = ["delta, ball-ended rods", "6-RSS", "five-bar", "3-RPR", "tricept", "6-RUS"]
STIFFNESS = {"R": 3.0, "U": 5.0, "S": 4.0, "P": 700.0}


def sprung(machine):
    """The machine with a spring in each passive joint but the cylindrical ones."""
    joints = tuple(
        changed(joint, stiffness=STIFFNESS[joint.type] * (1 + 0.1 * k))
        if joint.type in STIFFNESS and not joint.is_driven
        else joint
        for k, joint in enumerate(machine.joints)
    )
    return Mechanism(machine.name, machine.platform, machine.bodies, joints, machine.gravity)


def kernel(machine):
    """Pose -> energy and wrench of all springs."""
    outputs = [Argument("energy", ()), Argument("wrench", (6,))]
    return Machines(machine).kernel(
        "springs", lambda m, pose: (spring_energy(m, pose), spring_wrench(m, pose)), [POSE], outputs
    )


@pytest.mark.parametrize("name", KINDS)
def test_the_wrench_is_what_the_energy_loses_along_each_move(name):
    machine = sprung(MACHINES[name](2))
    pose = PinocchioMechanism(machine).random_state(np.random.default_rng(5)).pose
    model, springs = Kernels(machine), kernel(machine)
    T, step = model.twist_basis(pose), 1e-5
    energy, wrench = springs(pose)
    assert energy > 0
    for move in T.T:
        ends = [springs(model_step(machine, pose, sign * step * move))[0] for sign in (1, -1)]
        slope = (ends[0] - ends[1]) / (2 * step)
        assert -wrench @ move == pytest.approx(slope, rel=1e-5, abs=1e-6 * np.abs(wrench).max())


def model_step(machine, pose, way):
    """The pose that a machine can have beside another."""
    return possible_pose(Kernels(machine), displace(pose, way)).pose


@pytest.mark.parametrize("name", KINDS)
def test_springs_are_at_rest_at_home_and_as_stiff_there_as_the_stiffness_matrix(name):
    machine = sprung(MACHINES[name](2))
    home, springs = np.array(machine.home), kernel(machine)
    energy, wrench = springs(home)
    assert energy == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(wrench, 0, atol=1e-9)
    joints = tuple(changed(j, stiffness=1e-9) if j.is_driven else j for j in machine.joints)
    soft = Mechanism(machine.name, machine.platform, machine.bodies, joints, (0.0, 0.0, 0.0))
    model = Kernels(soft)
    K, T = model.stiffness(home, np.zeros(model.structure.actuators)), model.twist_basis(home)
    step = 1e-4
    for k, move in enumerate(T.T):
        energy = springs(model_step(machine, home, step * move))[0]
        energy += springs(model_step(machine, home, -step * move))[0]
        assert energy / step**2 == pytest.approx(K[k, k], rel=1e-5)
