"""Power in is stored or lost, along runs of every kind of plant."""

from dataclasses import replace

import casadi as ca
import losses
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from simulated_motions import screw_motion

import gough
from gough.analysis.axes import STORED_ENERGY
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.equations.actuators.drive import currents
from gough.equations.forces.contact import ContactSurface
from gough.equations.forces.surfaces import Plane, RoundSurface
from gough.model.actuators import drives_of, joint_frictions_of, stops_of
from gough.model.definition import WRENCH
from gough.model.parameters import machine_of
from gough.simulation import computed_torque, force_commanded, real_plant, rigid_plant
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import simulate

ROBOT = gough.load("demo-hexapod")
HOME = np.array(ROBOT.home)
PUSH = np.array([30.0, -20.0, 10.0, 2.0, -1.0, 3.0])
CEILING = ContactSurface(
    ca.DM([0, 0, 0.3]),
    Plane(ca.DM(HOME[:3] + [0, 0, 0.31]), ca.DM([0, 0, -1])),
    *map(ca.DM, (2e5, 0.3, 0.2)),
)
HOLLOW = replace(
    CEILING,
    shape=RoundSurface(CEILING.shape.point, CEILING.shape.normal, ca.DM(-0.35)),
    tool=ca.DM([0.05, -0.02, 0.3]),
)
"""Ceiling of a ball, which the tool strikes beside its top."""
UP = np.array([25.0, 40.0, 30.0, 20.0, 35.0, 30.0])
"""Not the same for all legs, so that the tool slides along the ceiling as well."""


def lost_power(legs, drives, frictions, stops, ceiling):
    """(machine, state, command, wrench, plant) -> what all friction and all dampers take [W]."""

    def lost(plant, machine, state, command, wrench):
        (_, pose, twist, (connectors, inner, _), *_), current = plant.split(machine, state)
        seen = plant.measured(machine, state, wrench)
        power = losses.in_legs(machine.extensible, connectors, pose, twist, inner)
        if frictions:
            power += losses.in_joints(machine, joint_frictions_of(ROBOT), pose, twist)
        if ceiling:
            power += losses.in_surface(ceiling, pose, twist)
        for k in range(6):
            if stops:
                power += losses.in_stop(stops_of(ROBOT)[k], seen.q[k], seen.q_dot[k])
        if drives:
            known = drives_of(ROBOT)
            i = currents(known, current, command, seen.q_dot)
            force = plant.response(machine, state, command, wrench).force
            for k, d in enumerate(known):
                power += losses.in_drive(d, i[k], seen.q_dot[k], force[k])
        return power

    return lost


def real(legs="rigid", drives=True, joint_friction=True, stops=True, ceiling=None):
    plant = real_plant(
        ROBOT, legs=legs, drives=drives, joint_friction=joint_friction, stops=stops, surface=ceiling
    )
    return plant, lost_power(legs, drives, joint_friction, stops, ceiling)


def nothing_lost():
    return rigid_plant(ROBOT), lambda *_: ca.DM(0)


KINDS = {
    "rigid": (nothing_lost, UP, 0.3),
    "frictionless": (lambda: real(drives=False, joint_friction=False, stops=False), UP, 0.3),
    "into the stops": (lambda: real(drives=False), 10 * UP, 0.6),
    "drives": (real, np.full(6, 180.0), 0.7),
    "drives, current limited": (lambda: real(stops=False), np.full(6, 250.0), 0.2),
    "simple": (lambda: real("simple"), np.full(6, 180.0), 0.7),
    "low-frequency": (lambda: real("low-frequency", drives=False), 4 * UP, 0.2),
    "high-frequency": (lambda: real("high-frequency", drives=False), 4 * UP, 0.2),
    "complete": (lambda: real("complete"), np.full(6, 180.0), 0.7),
    "complete, into a surface": (lambda: real("complete", ceiling=CEILING), 2 * UP, 0.4),
    "rigid, into a surface": (lambda: real(drives=False, ceiling=CEILING), 4 * UP, 0.3),
    "rigid, into a hollow": (lambda: real(drives=False, ceiling=HOLLOW), 4 * UP, 0.3),
}
FILLED = {
    "drives": ("rotors", "windings", "stops"),
    "simple": ("rotors", "windings", "springs", "stops"),
    "complete": ("rotors", "windings", "springs", "stops"),
    "complete, into a surface": ("rotors", "windings", "springs", "surface"),
    "rigid, into a surface": ("surface",),
    "rigid, into a hollow": ("surface",),
    "into the stops": ("stops",),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_comes_in_is_stored_or_lost(kind):
    make, more, duration = KINDS[kind]
    plant, lost = make()
    machine, start = machine_of(ROBOT), plant.start(HOME)
    command = plant.holding(HOME) + more

    def equation(state, command, wrench):
        return lost(plant, machine, state, command, wrench)

    inputs = [plant.state, plant.command, WRENCH]
    losses = Kernel(Function.from_equation("lost", equation, inputs, [Argument("lost")]))
    n = len(start)

    def rates(_, z):
        at = (np.ascontiguousarray(z[:n]), command, PUSH)
        force, speed, _, *watched = plant.output_kernel(*at)
        supplied = watched[2].sum() if plant.command.name == "voltage" else force @ speed
        supplied += PUSH @ z[7:13]
        return np.concatenate([plant.rate_kernel(*at), [supplied, losses(*at)]])

    z = np.concatenate([start, [0, 0]])
    path = solve_ivp(rates, (0, duration), z, method="DOP853", rtol=1e-10, atol=1e-12)
    assert path.success
    stored = plant.output_kernel(np.ascontiguousarray(path.y[:n].T), command, PUSH)[2]
    gain = stored.sum(axis=1) - stored[0].sum()
    supplied, gone = path.y[n:]
    assert np.abs(supplied).max() > 1.0
    np.testing.assert_allclose(gain + gone, supplied, atol=1e-7 * np.abs(supplied).max())
    most = dict(zip(STORED_ENERGY.labels, stored.max(axis=0), strict=True))
    assert all(most[part] > 1e-3 for part in FILLED.get(kind, ()))


def test_a_run_tells_where_all_of_its_energy_is():
    """A fifth of what moves is rotors; windings, springs and bodies are there besides."""
    plant = force_commanded(real_plant(ROBOT, legs="simple"))
    motion = screw_motion(ROBOT)
    results = simulate(Scenario(ROBOT, computed_torque(900, 60, drives=True), motion, plant=plant))
    stored = dict(zip(STORED_ENERGY.labels, results["stored_energy"].T, strict=True))
    np.testing.assert_array_equal(results["energy"], results["stored_energy"][:, :2])
    q_dot, i = results["leg_speed"], results["motor_current"]
    d = ROBOT.legs[0].drive
    turns = (2 * np.pi / d.screw_lead) ** 2 * (d.rotor_inertia + d.screw_inertia)
    spinning = (turns * q_dot**2 / 2).sum(axis=1)
    assert spinning.max() > 1.0
    np.testing.assert_allclose(stored["rotors"], spinning, atol=0.02 * spinning.max())
    np.testing.assert_allclose(stored["windings"], (d.inductance * i**2 / 2).sum(axis=1))
    assert stored["springs"].min() > 0
    figure = results.summary["peak_kinetic_energy"]
    assert figure.value == pytest.approx((stored["kinetic"] + stored["rotors"]).max())
    assert results.quantity("stored_energy").labels[2] == "stored_energy_rotors"


def test_bodies_of_yielding_legs_are_where_the_legs_say():
    """A piston that hangs on a soft spring is lower than at the end of a rigid leg."""
    plant = real_plant(ROBOT, legs="low-frequency", drives=False)
    state = plant.start(HOME)
    moved = state.copy()
    moved[13:19] += 0.01  # E: all pistons, the platform stays
    up = plant.output_kernel(np.stack([state, moved]), np.zeros(6), np.zeros(6))[2][:, 1]
    model = gough.Model(ROBOT)
    steep = np.linalg.norm(model.jacobian(HOME)[:, 2:3], axis=1)  # s_z of each leg
    weight = 9.81 * np.array([leg.piston.mass for leg in ROBOT.legs])
    assert up[1] - up[0] == pytest.approx(0.01 * weight @ steep, rel=1e-6)
