"""Kernels of machines of any kind outside Python: C programs print the same numbers."""

import numpy as np
import pytest
from compiled_c import QUICK, built, pointers, shown_by_example
from drawn_machines import MACHINES
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.exchange.source import example_state, export_kernels

KERNELS = [
    ("delta, ball-ended rods", "inverse_dynamics"),
    ("delta, ball-ended rods", "joint_centers"),
    ("3-RRR", "forward_dynamics"),
    ("3-RRR", "energy"),
    ("6-RSS", "jacobian"),
    ("3-RRRS", "inverse_kinematics"),
    ("3-RRRS", "all_joints"),
    ("five-bar", "twist_basis"),
]


@pytest.mark.parametrize(("machine", "kernel"), KERNELS)
def test_the_example_prints_what_the_kernel_says_of_its_state(machine, kernel, tmp_path):
    model = gough.Model(MACHINES[machine](1))
    export_kernels(model, tmp_path, [kernel])
    printed = shown_by_example(tmp_path, kernel, QUICK)
    function = model.function(kernel)
    state = example_state(model, {a.name for a in function.inputs})
    found = getattr(model, kernel)(*(state[a.name] for a in function.inputs))
    several = found if isinstance(found, tuple) else (found,)
    expected = np.concatenate([np.ravel(part) for part in several])
    rounding = 1e-13 * max(1.0, np.abs(expected).max())  # positions are about zero at home
    got = np.concatenate(list(printed.values()))
    np.testing.assert_allclose(got, expected, rtol=1e-13, atol=rounding)


@pytest.mark.parametrize("machine", ["delta, ball-ended rods", "3-RRRS"])
def test_cuda_sources_say_actuators_and_units(machine, tmp_path):
    model = gough.Model(MACHINES[machine](1))
    source, signature = export_kernels(
        model, tmp_path, ["inverse_dynamics"], language="cuda", dtype="float32"
    ).paths
    actuators = model.structure.actuators
    assert f'"shape": [\n        {actuators}\n      ]' in signature.read_text()
    assert '"unit": "N m"' in signature.read_text()
    assert "double" not in source.read_text()


@pytest.mark.parametrize("machine", ["delta, ball-ended rods", "3-RRRS", "orthoglide"])
def test_c_forces_are_those_of_pinocchio(machine, tmp_path):
    mechanism = MACHINES[machine](2)
    oracle, rng = PinocchioMechanism(mechanism), np.random.default_rng(0)
    export_kernels(gough.Model(mechanism), tmp_path, ["inverse_dynamics"])
    function = built(tmp_path, "inverse_dynamics")
    for _ in range(5):
        state, wrench = oracle.random_state(rng), rng.normal(size=6)
        force, given = np.empty(len(mechanism.actuators)), (state.pose, state.twist)
        function(*pointers(*given, state.acceleration, wrench, force))
        np.testing.assert_allclose(force, oracle.efforts(state, wrench), rtol=1e-9, atol=1e-9)
