"""Random mechanisms with couplings, springs, dampers and armatures on a base that moves.

Pinocchio has the tree on a free base; springs and dampers are written by hand.
"""

from dataclasses import replace

import casadi as ca
import numpy as np
import pinocchio as pin
import pytest
from coupled_machines import COUPLED
from drawings import changed
from drawn_machines import MACHINES
from mechanism_kernels import Interpreted, kernels
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.equations.forces.moving_base import on_moving_base
from gough.model.definition import BASE_MOTION
from gough.poses import displace

MADE = {
    "belt": (COUPLED["SCARA with a belt"], 11),
    "gears": (COUPLED["five-bar with gears"], 12),
    "differential": (COUPLED["differential"], 13),
    "rods": (MACHINES["delta, ball-ended rods"], 2),
}
STIFFNESS, LOAD, DAMPING, TORSION, ARMATURE = 300.0, 25.0, 12.0, 1.7, 0.3


class Sprung:
    """A machine with two springs between bodies and one beside a joint, and a moving base."""

    def __init__(self, make, seed):
        drawn, rng = make(seed), np.random.default_rng(seed)
        loops = {joint.name for joint in PinocchioMechanism(drawn, floating=True).rest}
        of_tree = (j for j in drawn.joints if j.type == "R" and j.name not in loops)
        self.beside = next(of_tree).name
        spring = {"stiffness": TORSION, "torque": 0.4}
        joints = tuple(
            changed(j, spring=spring, armature=ARMATURE) if j.name == self.beside else j
            for j in drawn.joints
        )
        rods = {b.name for b in drawn.bodies if _is_rod(drawn, b.name)}
        bodies = ["base", *(b.name for b in drawn.bodies if b.name not in rods), "platform"]
        springs = []
        for k, pair in enumerate(((0, -1), (1, -1))):
            at = {"name": f"spring {k}", "between": [bodies[i] for i in pair]}
            at |= {"start": rng.uniform(-0.5, 0, 3), "end": rng.uniform(0.1, 0.5, 3)}
            springs.append(at | {"stiffness": STIFFNESS, "force": LOAD, "damping": DAMPING})
        self.machine = changed(drawn, joints=joints, springs=tuple(springs))
        self.oracle = PinocchioMechanism(self.machine, floating=True)
        self.state, self.wrench = self.oracle.random_state(rng), rng.standard_normal(6)
        self.kernels = kernels(self.machine)
        self.base, self.own = self.oracle.relative(self.state)
        self._kernel = None

    def __call__(self, base, own):
        """Return forces, base wrench, motors' speeds, acceleration under the forces, energy [J]."""
        d = self.kernels._definitions

        def equation(*given):
            pose, twist, _, wrench = given[3:]
            machine = on_moving_base(self.kernels.machine, *given[:3])

            def of(name, *inputs):
                return d[name].equation(machine, *inputs)

            force = of("actuator_force", *given[3:])
            loaded = wrench + of("joint_wrench", pose, twist)
            stored = ca.sum1(of("energy", pose, twist)) + of("spring_energy", pose)
            moved = of("forward_dynamics", pose, twist, force, loaded)
            speed = of("joint_velocity", pose, twist)
            return force, of("base_wrench", *given[3:]), speed, moved, stored

        if self._kernel is None:
            names = ("inverse_dynamics", "base_wrench", "joint_velocity", "forward_dynamics")
            outputs = [replace(d[name].outputs[0], name=f"{name}_") for name in names]
            inputs = (*BASE_MOTION, *d["actuator_force"].inputs)
            outputs.append(Argument("stored"))
            function = Function.from_equation("sprung", equation, inputs, outputs)
            iterated = any(leg.iterated for leg in self.kernels.machine.legs)
            self._kernel = (Kernel if iterated else Interpreted)(function)
        return self._kernel(*base, *own, self.wrench)

    def passive(self):
        """Return forces of springs, dampers and armatures along Pinocchio's coordinates."""
        model, data, (q, v, a, *_) = self.oracle.model, self.oracle.data, self.state
        joint = model.joints[model.getJointId(f"{self.beside}.0")]
        found, lost = np.zeros(model.nv), 0.0
        found[joint.idx_v] = 0.4 - TORSION * q[joint.idx_q] - ARMATURE * a[joint.idx_v]
        pin.computeJointJacobians(model, data, q)
        for spring in self.machine.springs:
            ends, J = [], []
            for body, point in zip(spring.between, (spring.start, spring.end), strict=True):
                at, joint = self.oracle.carried(self.state, body, point), self.oracle.joint_of[body]
                of_joint = pin.getJointJacobian(
                    model, data, joint, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
                )
                lever = at - data.oMi[joint].translation
                J.append(of_joint[:3] - pin.skew(lever) @ of_joint[3:])
                ends.append(at)
            way = ends[1] - ends[0]
            length = np.linalg.norm(way)
            along = way @ (J[1] - J[0]) / length
            rate = along @ v
            force = LOAD + STIFFNESS * (length - spring.length_at_home)
            found -= along * (force + DAMPING * rate)
            lost += DAMPING * rate**2
        return found, lost

    def held(self):
        """Return the motors' efforts and the wrench on the base, in its axes, by Pinocchio."""
        oracle, state = self.oracle, self.state
        tau = pin.rnea(oracle.model, oracle.data, state.q, state.v, state.a) - self.passive()[0]
        N, J = oracle.moves(state.q), oracle._platform_jacobian(state.q)
        pin.forwardKinematics(oracle.model, oracle.data, state.q)
        R = oracle.data.oMi[1].rotation
        pushed = np.concatenate([R @ self.wrench[:3], R @ self.wrench[3:]])
        needed = N.T @ (tau - J.T @ pushed)
        found = np.linalg.lstsq(N[[*oracle.motors, *range(6)]].T, needed, rcond=1e-12)[0]
        return found[:-6], found[-6:]


def _is_rod(machine, body):
    return [j.type for j in machine.joints if body in j.between] == ["S", "S"]


@pytest.fixture(scope="module", params=MADE)
def case(request):
    return Sprung(*MADE[request.param])


def close(ours, theirs, tolerance=1e-9):
    assert np.abs(ours - theirs).max() <= tolerance * max(1.0, np.abs(theirs).max())


def test_forces_are_pinocchios_and_forward_dynamics_inverts_them(case):
    force, held = case.held()
    ours, on_base, _, acceleration, _ = case(case.base, case.own)
    close(ours, force)
    close(on_base, -held)
    close(acceleration, case.own[2], 1e-8)


def test_power_of_motors_loads_and_base_is_that_of_the_energy(case):
    """Its rate is by central differences; dampers lose the rest."""
    base, own, h = case.base, case.own, 1e-5
    force, on_base, speed, *_ = case(base, own)
    turn, (v, omega) = gough.rotation(base[0]), np.split(base[1], 2)
    in_world = [turn.apply(x) for x in np.split(case.wrench, 2) + np.split(-on_base, 2)]
    moving = v + np.cross(omega, turn.apply(own[0][:3])) + turn.apply(own[1][:3])
    power = force @ speed + in_world[0] @ moving + in_world[1] @ (omega + turn.apply(own[1][3:]))
    power += in_world[2] @ v + in_world[3] @ omega - case.passive()[1]

    def energy(t):
        ways = [(x, t * V + t**2 / 2 * A, V + t * A, A) for x, V, A in (base, own)]
        return case(*((displace(x, way), V, A) for x, way, V, A in ways))[-1]

    rate = (energy(h) - energy(-h)) / (2 * h)
    assert rate == pytest.approx(power, rel=1e-5)
