"""Machines of any kind: forward dynamics against Pinocchio's constraintDynamics, and operations.

Pinocchio has the same bodies in a tree, cut at joints that are the cheapest for it, and closes the
loops by points: one for a ball joint, two on the axis of a hinge, or one in a plane. Both answers
are compared first.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

import gough
from benchmarks.measure import Report, best_times, repeated
from benchmarks.published.comparison import cpu_time

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from oracles.pinocchio_mechanism import PinocchioMechanism

N = 100_000
CALLS = 1000
SAME = 1e-6
"""Of the accelerations: Pinocchio's solver stops there for machines with rows too many."""


@dataclass(frozen=True)
class Aims:
    """What is to be reached: ratios to Pinocchio, and operations at most."""

    batch: float
    call: float
    inverse: int | None = None
    forward: int | None = None


MACHINES = {
    "delta": Aims(400, 5, 440, 460),
    "planar-3rrr": Aims(80, 2, 770, 1010),
    "orthoglide": Aims(200, 6),
    "servo-hexapod-6rss": Aims(120, 4, 1830, 2280),
    "hexa-6rus": Aims(60, 3, 3600, 5400),
}


class Constrained:
    """A machine in Pinocchio, its loops closed by points."""

    def __init__(self, mechanism):
        self.oracle = PinocchioMechanism(mechanism)
        model = self.oracle.model
        self.closures = pin.StdVec_RigidConstraintModel()
        for loop in self.oracle.loops:
            for offset in self._offsets(loop, planar="z" not in mechanism.platform.moves):
                self.closures.append(self._point(model, loop, offset))
        self.data, self.closure_data = model.createData(), pin.StdVec_RigidConstraintData()
        for closure in self.closures:
            self.closure_data.append(closure.createData())
        pin.initConstraintDynamics(model, self.data, self.closures, self.closure_data)
        self.settings = pin.ProximalSettings(1e-12, 1e-12, 0.0 if not self.redundant else 1e-9, 50)

    @property
    def redundant(self):
        """Whether some rows say nothing new."""
        return any(loop.type != "S" for loop in self.oracle.loops)

    @staticmethod
    def _offsets(loop, planar):
        """Points that close a loop: bodies that stay in a plane need one for a hinge, too."""
        if loop.type == "S" or planar:
            return [np.zeros(3)]
        return [-0.05 * loop.axes[0], 0.05 * loop.axes[0]]

    def _point(self, model, loop, offset):
        first, second = (model.frames[f] for f in (loop.first, loop.second))
        places = [frame.placement * pin.SE3(np.eye(3), offset) for frame in (first, second)]
        return pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D,
            model,
            first.parentJoint,
            places[0],
            second.parentJoint,
            places[1],
            pin.ReferenceFrame.LOCAL,
        )

    def acceleration(self, q, v, tau):
        """Of the tree."""
        return pin.constraintDynamics(
            self.oracle.model,
            self.data,
            q,
            v,
            tau,
            self.closures,
            self.closure_data,
            self.settings,
        )


def against_pinocchio(report, name, aims):
    robot = gough.load(name)
    model, other = gough.Model(robot), Constrained(robot)
    oracle, rng = other.oracle, np.random.default_rng(0)
    states = [oracle.random_state(rng) for _ in range(64)]
    effort = rng.standard_normal((64, len(robot.actuators)))
    pose, twist = (np.array([getattr(s, x) for s in states]) for x in ("pose", "twist"))
    state, tau = states[0], np.zeros(oracle.model.nv)
    tau[oracle.motors] = effort[0]
    theirs = oracle._state(state.q, state.v, other.acceleration(state.q, state.v, tau)).acceleration
    ours = model.forward_dynamics(pose[0], twist[0], effort[0], np.zeros(6))
    apart = np.abs(ours - theirs).max() / np.abs(ours).max()
    one = [x[0].copy() for x in (pose, twist, effort)] + [np.zeros(6)]
    many = [np.resize(x, (N, x.shape[1])) for x in (pose, twist, effort)] + [np.zeros(6)]
    out = np.empty((N, 6))
    single, constrained, batch = best_times(
        repeated(lambda: model.forward_dynamics(*one), CALLS),
        repeated(lambda: other.acceleration(state.q, state.v, tau), CALLS),
        lambda: model.forward_dynamics(*many, out=out, threads=1),
    )
    micro = 1e6 / CALLS
    report.at_most(f"{name}: difference of both accelerations", apart, SAME, "")
    report.at_least(
        f"{name}: forward dynamics, batch of 10^5 on one core",
        constrained / CALLS / (batch / N),
        aims.batch,
        f"{batch * 1e9 / N:.0f} ns against {constrained * micro:.1f} us",
    )
    report.at_least(
        f"{name}: forward dynamics, one call",
        constrained / single,
        aims.call,
        f"{single * micro:.2f} us",
    )
    for kernel, aim in (("inverse", aims.inverse), ("forward", aims.forward)):
        count = getattr(model, f"{kernel}_dynamics").program.n_operations
        if aim is None:
            report.fact(f"{name}: operations, {kernel} dynamics", str(count))
        else:
            report.at_most(f"{name}: operations, {kernel} dynamics", count, aim, "")


def of_iterated_legs(report):
    """Inverse dynamics of a robot whose legs iterate, in CPU time, near home and farther away."""
    model, rng = gough.Model(gough.load("quattro")), np.random.default_rng(0)
    for reach in (0.001, 0.1):
        pose = np.tile(model.robot.home, (N, 1))
        pose[:, :3] += rng.uniform(-reach, reach, (N, 3))
        others = rng.uniform(-1, 1, (3, N, 6))

        def batch(pose=pose, others=others):
            return model.inverse_dynamics(pose, *others, threads=1)

        spent = cpu_time(batch, 5) / N * 1e6
        what = f"quattro: inverse dynamics within {reach} m of home, CPU time"
        report.at_most(what, spent, 1.5, "us", "aim 1 us")


def run():
    report = Report("Machines of any kind, against pin.constraintDynamics")
    of_iterated_legs(report)
    for name, aims in MACHINES.items():
        against_pinocchio(report, name, aims)
    report.show()
