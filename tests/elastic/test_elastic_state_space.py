"""Elastic machines as linear systems: closed forms, the simulated plant, reciprocity, control."""

import casadi as ca
import numpy as np
import pytest

import gough
from gough.elastic import damped, elastic_state_space, frequency_response, root_locus
from gough.elastic.kernels import holding_kernel
from gough.equations.actuators import compliant
from gough.equations.actuators.compliant_leg import Inner, legs_of
from gough.equations.actuators.drive import Actuation
from gough.equations.dynamics.formulation import NO_WRENCH
from gough.equations.forces.passive_joints import friction_wrench
from gough.equations.spatial.pose import displace
from gough.model.actuators import connectors_of, joint_frictions_of
from gough.model.parameters import machine_of
from gough.simulation import Stepper, real_plant
from tests.samples.cubic import cubic

A, K, MASS, INERTIA = 0.2, 1e6, 1.0, 0.01
OMEGA = np.sqrt(2 * K / MASS)
"""Of the platform of a cube along each axis [rad/s]."""


def as_simulated():
    """The demonstration machine without what its simulations leave out, dry friction, drives."""
    robot = gough.load("demo-hexapod").replace({"leg.joint_stiffness": None, "leg.drive": None})
    dry = {"base_damping": 0.5, "platform_damping": 0.2}
    return robot.replace({"leg.joint_friction": dry, "leg.stop": None})


def test_free_machines_are_the_linearized_plant_of_simulations():
    """All states of platform, pistons, stages and couplings, number by number, and the poles."""
    robot = as_simulated()
    pose = np.array(robot.home) + 0.02
    system = elastic_state_space(robot, pose, actuators="free")
    expected_A, expected_B, expected_push = linearized(robot, pose)
    scale = np.abs(expected_A).max(0)
    np.testing.assert_allclose(system.A / scale, expected_A / scale, atol=1e-9)
    legs = [system.input_labels.index(f"leg {k}_force") for k in range(1, 7)]
    np.testing.assert_allclose(system.B[:, legs], expected_B, atol=1e-9 * np.abs(expected_B).max())
    pushes = [system.output_labels.index(f"leg {k}_push") for k in range(1, 7)]
    scale = np.abs(expected_push).max(0) + 1
    np.testing.assert_allclose(system.C[pushes] / scale, expected_push / scale, atol=1e-9)
    poles, expected = (np.sort_complex(np.linalg.eigvals(M)) for M in (system.A, expected_A))
    np.testing.assert_allclose(poles, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def linearized(robot, pose):
    """A and B of (z, ż, δ_c), and what they push with: what is simulated, by its derivatives."""
    machine, connectors = machine_of(robot), connectors_of(robot)
    hexapod = machine.extensible
    still = compliant.static_solution(hexapod, connectors, ca.DM(pose), NO_WRENCH)
    z, rate, delta = ca.SX.sym("z", 18), ca.SX.sym("rate", 18), ca.SX.sym("delta", 6)
    force = ca.SX.sym("force", 6)
    at, twist = displace(ca.DM(pose), z[:6]), rate[:6]
    rest = still.inner
    inner = Inner(rest.E + z[6:12], rest.delta_c + delta, rest.D + z[12:], rate[6:12], rate[12:])
    rubbing = friction_wrench(machine, joint_frictions_of(robot), at, twist)
    acting = Actuation(still.force + force, ca.DM.zeros(6))
    moved = compliant.forward_dynamics(machine, connectors, at, twist, inner, acting, rubbing)
    of_inner = moved.inner_rate
    rates = ca.vertcat(rate, moved.acceleration, of_inner.E_dot, of_inner.D_dot, of_inner.delta_c)
    state = ca.vertcat(z, rate, delta)
    legs = legs_of(hexapod, connectors, at, twist, inner)
    push = ca.vertcat(*(leg.spring_force for leg in legs))
    slopes = [ca.jacobian(rates, state), ca.jacobian(rates, force), ca.jacobian(push, state)]
    return map(np.array, ca.Function("A", [state, force], slopes)(np.zeros(42), np.zeros(6)))


def test_a_sweep_is_answered_as_in_a_simulation():
    """One actuator's force swings, from 5 to 60 Hz: the nonlinear plant, step by step."""
    import control

    robot, step, count = as_simulated(), 1e-4, 1500
    home = np.array(robot.home)
    time = step * np.arange(count)
    push = 0.01 * np.sin(2 * np.pi * (5 + 55 * time / time[-1] / 2) * time)
    plant = real_plant(robot, legs="complete", drives=False, stops=False)
    stepper = Stepper(plant, step)
    stepper.reset(home)
    held, way = plant.holding(home), []
    for one in push:
        way.append(stepper.state[:3] - home[:3])
        stepper.step(held + one * np.eye(6)[0])
    system = elastic_state_space(robot, actuators="free")
    one = system[["x", "y", "z"], ["leg 1_force"]]
    # the simulation keeps a force for a step, and the linear system too
    answer = control.forced_response(control.c2d(one, step), time, push).outputs
    way = np.transpose(way)
    np.testing.assert_allclose(answer, way, atol=2e-4 * np.abs(way).max())


@pytest.mark.parametrize("actuators", ["locked", 5e6])
def test_slowly_it_yields_by_its_compliance(actuators):
    robot = gough.load("demo-hexapod")
    model, home = gough.Model(robot), np.array(robot.home)
    system = elastic_state_space(model, actuators=actuators)
    found = frequency_response(system, [0.0], "displacement", "wrench").values[0]
    given = np.full(6, 0.0 if actuators == "locked" else 1 / actuators)
    expected = model.compliance(home, holding_kernel(model.machines)(home), given)
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def test_force_here_and_way_there_can_be_exchanged():
    system = elastic_state_space(gough.load("demo-hexapod"), actuators=5e6)
    hertz = [3.0, 20.0, 90.0, 400.0]
    for outputs, inputs in (("displacement", "wrench"), ("position", "force")):
        H = frequency_response(system, hertz, outputs, inputs).values
        largest = np.abs(H).max((1, 2), keepdims=True)
        np.testing.assert_allclose(H / largest, np.swapaxes(H, 1, 2) / largest, atol=1e-9)


def test_a_cube_is_six_machines_of_one_freedom():
    zeta, hertz = 0.05, np.array([10.0, 200.0, 225.0, 900.0])
    system = elastic_state_space(cubic(A), damping_ratio=zeta)
    s = 2j * np.pi * hertz
    denominator = s**2 + 2 * zeta * OMEGA * s + OMEGA**2
    H = frequency_response(system, hertz, "displacement", "wrench")
    np.testing.assert_allclose(H.values[:, 2, 2], 1 / MASS / denominator, rtol=1e-10)
    assert (H.output_units[2], H.output_units[4], H.input_units[4]) == ("m", "rad", "N m")
    shaken = frequency_response(system, hertz, "acceleration", "base")
    expected = (2 * zeta * OMEGA * s + OMEGA**2) / denominator
    np.testing.assert_allclose(shaken.values[:, 2, 2], expected, rtol=1e-10)
    np.testing.assert_allclose(shaken.transmissibility, np.abs(expected), rtol=1e-10)


def test_a_base_that_accelerates_is_a_change_of_gravity():
    g = np.array([3.0, -4.0, -8.0])
    changes = {"gravity": g.tolist(), "leg.connector": None}
    model = gough.Model(gough.load("demo-hexapod").replace(changes))
    pose = np.array(model.robot.home) + 0.03
    system = elastic_state_space(model, pose)
    found = frequency_response(system, [0.0], "displacement", "base").values[0]
    expected = model.compliance(pose, model.joint_gravity(pose)) @ model.gravity(pose)
    np.testing.assert_allclose(found[:, :3] @ g, expected, atol=1e-9 * np.abs(expected).max())


def test_legs_of_a_cube_are_alone_at_rest_only():
    """Alone at all frequencies they were of a body with I_z = 4 I_x, which none has."""
    robot, hertz = cubic(A), np.array([0.0, 100.0, 400.0])
    J = gough.Model(robot).jacobian(robot.home)
    stiffness, mass = K * np.array([2, 2, 2, A**2 / 2, A**2 / 2, 2 * A**2]), [MASS] * 3
    dynamic = stiffness - (2 * np.pi * hertz[:, None]) ** 2 * np.array(mass + [INERTIA] * 3)
    G = np.abs(K * J @ (J.T / dynamic[..., None]))
    off = G[:, ~np.eye(6, dtype=bool)].max(-1) / np.diagonal(G, axis1=1, axis2=2).min(-1)
    found = frequency_response(elastic_state_space(robot), hertz, "length", "stroke")
    np.testing.assert_allclose(found.gain, G, atol=1e-9)
    np.testing.assert_allclose(found.coupling, off, atol=1e-9)
    assert found.coupling[0] < 1e-9 < found.coupling[1]


def flexing(zero):
    """A cube whose flexures alone have this share of the frequency along its axis."""
    k_b = zero**2 / (1 - zero**2) * 2 * K * A**2 / 4
    return cubic(A, joint_stiffness={"base_bending": k_b}), OMEGA / np.sqrt(1 - zero**2)


def test_integral_force_feedback_damps_as_preumont_says():
    """Largest ratio (Ω - z)/(2 z) at the gain Ω √(Ω/z), between poles Ω and zeros z."""
    zero = 0.6
    robot, omega = flexing(zero)
    system = elastic_state_space(robot)
    best, ratio = omega * np.sqrt(1 / zero), (1 - zero) / (2 * zero)
    s = root_locus(system, "integral force", [best / K])[0]
    error = s**3 + best * s**2 + omega**2 * s + best * (zero * omega) ** 2
    roots = np.roots([1, best, omega**2, best * (zero * omega) ** 2])
    assert np.sort(np.abs(error))[2] < 1e-6 * omega**3  # all three are among the poles
    damping = -roots.real / np.abs(roots)
    assert damping[np.abs(roots.imag) > 0].max() == pytest.approx(ratio, rel=1e-6)


def test_velocity_feedback_is_a_damper_beside_each_actuator():
    gain, zeta = 4e6, 0.1
    share = (1 / gain) / (1 / gain + 1 / K)
    omega = np.sqrt(2 / (1 / gain + 1 / K) / MASS)
    system = elastic_state_space(cubic(A), actuators=gain)
    c = zeta * 2 * omega * MASS / 2 / share
    poles = damped(system, "velocity", c).poles()
    expected = omega * (-zeta + 1j * np.sqrt(1 - zeta**2))
    assert np.abs(poles - expected).min() < 1e-8 * omega


def test_feedback_keeps_signals_and_static_stiffness_where_flexures_are():
    robot, _ = flexing(0.6)
    system = elastic_state_space(robot)
    closed = damped(system, "integral force", 1e-3)
    assert closed.input_labels == system.input_labels
    assert closed.output_labels == system.output_labels
    assert closed.nstates == system.nstates + 6
    slow = frequency_response(closed, [0.0], "displacement", "wrench").values[0]
    free = gough.Model(robot).stiffness(robot.home, np.zeros(6), np.full(6, np.inf))
    np.testing.assert_allclose(slow @ free, np.eye(6), atol=1e-8)  # the actuators give way


def test_pistons_that_are_held_leave_wrench_and_base():
    piston = {"mass": 0.1, "center_of_mass": 0.0, "inertia": [0, 0, 0]}
    robot = cubic(A, stiffness=None, piston=piston, connector={"stiffness": K})
    system = elastic_state_space(robot)
    assert system.input_labels[0] == "x_wrench"
    with pytest.raises(gough.GoughError, match="has no inputs 'stroke'"):
        frequency_response(system, [1.0], "length", "stroke")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: frequency_response(s, [1.0], "way", "wrench"), "outputs is 'way'; expected"),
        (lambda s: frequency_response(s, 1.0, "length", "wrench"), r"expected \(f,\)"),
        (lambda s: frequency_response(s, [1.0], "length", "wrench").coupling, "of one unit each"),
        (lambda s: frequency_response(s, [1.0], "length", "wrench").transmissibility, "from base"),
        (lambda s: damped(s, "positive", 1.0), "law is 'positive'; expected"),
        (lambda s: damped(s, "velocity", -1.0), "gain is -1.0; expected"),
        (lambda _: elastic_state_space(cubic(A), damping_ratio=1.5), "damping_ratio is 1.5"),
        (lambda _: elastic_state_space(cubic(A), [cubic(A).home]), "one state"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(gough.GoughError, match=words):
        call(elastic_state_space(cubic(A)))


def test_frames_that_yield_are_refused():
    """What a leg measures between them is not the platform's motion alone."""
    robot = gough.load("demo-hexapod").replace(flexibility={"base": [1e-8] * 6})
    with pytest.raises(gough.GoughError, match=r"compliant base; .*expected no flexibility"):
        elastic_state_space(robot)
