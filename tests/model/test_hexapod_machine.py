"""A hexapod is a machine of hinges, slides and balls: the short equations of its legs say the same.

Of the robots of the library and of random ones, with numbers as constants and as parameters.
"""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from machines import as_machine, random_machine, random_state

import gough
from gough.equations.forces import dynamics
from gough.equations.motion import kinematics, singularity_measures
from gough.model.parameters import machine_of
from gough.robot import library_names
from gough.robot.numbers import parameters_of

HEXAPODS = [name for name in library_names() if hasattr(gough.load(name), "legs")]
EQUATIONS = {
    kinematics.jacobian: "p",
    kinematics.joint_velocity: "pt",
    kinematics.joint_acceleration: "pta",
    kinematics.actuation_matrix: "p",
    dynamics.jacobian_rate: "pt",
    singularity_measures.is_singular: "p",
    dynamics.inverse_dynamics: "ptaw",
    dynamics.forward_dynamics: "ptww",
    dynamics.mass_matrix: "p",
    dynamics.balancing_forces: "pw",
    dynamics.coriolis_matrix: "pt",
    dynamics.bias: "pt",
    dynamics.gravity: "p",
}
"""Those that are shorter for extensible legs."""


def compared(machine, state, *numbers):
    """All equations at a state, in general and in short; the numbers are symbols and values."""
    symbols = {key: ca.SX.sym(key, len(x)) for key, x in zip("ptaw", state, strict=True)}
    outputs = [
        ca.densify(ca.SX(equation(of, *(symbols[key] for key in keys))))
        for equation, keys in EQUATIONS.items()
        for of in (replace(machine, extensible=None), machine)
    ]
    free, values = zip(*numbers, strict=True) if numbers else ((), ())
    found = ca.Function("found", [*free, *symbols.values()], outputs)(*values, *state)
    names = [equation.__name__ for equation in EQUATIONS]
    return dict(zip(names, zip(found[::2], found[1::2], strict=True), strict=True))


def check(found):
    for name, pair in found.items():
        general, short = map(np.array, pair)
        assert np.isfinite(short).all() or name == "forward_dynamics", name
        scale = np.nanmax(np.abs(short)) if np.isfinite(short).any() else 0.0
        np.testing.assert_allclose(general, short, rtol=0, atol=1e-12 * scale, err_msg=name)


def near_home(robot, seed):
    pose, *rest = random_state(np.random.default_rng(seed))
    home = np.array(robot.home)
    pose[:3] = home[:3] * (1 + 0.1 * (pose[:3] - [0, 0, 1.3]))
    return pose, *rest


@pytest.mark.parametrize("name", HEXAPODS)
def test_short_equations_are_those_of_the_machine(name):
    robot = gough.load(name)
    check(compared(machine_of(robot), near_home(robot, 1)))


@pytest.mark.parametrize("name", ["demo-hexapod"])
def test_with_all_numbers_as_parameters(name):
    robot = gough.load(name)
    values = parameters_of(robot)
    symbols = ca.SX.sym("parameters", len(values))
    check(compared(machine_of(robot, symbols), near_home(robot, 2), (symbols, values)))


@pytest.mark.parametrize(("kinds", "seed"), [(("UPS",), 0), (("SPS",), 1), (("UPS", "SPS"), 2)])
def test_of_random_hexapods(kinds, seed):
    rng = np.random.default_rng(seed)
    check(compared(as_machine(random_machine(rng, kinds)), random_state(rng)))
