"""Dynamics in the symbols of Briot & Khalil 2021: (7)-(33) hold, and are our kernels."""

import numpy as np
import pytest

import gough
from gough.kinematics import leg_parameters, random_poses


@pytest.fixture(scope="module", params=["demo-hexapod", "kalani-2016"])
def model(request):
    return gough.Model(gough.load(request.param))


@pytest.fixture(scope="module")
def state(model):
    rng, count = np.random.default_rng(4), 20
    return random_poses(model, count, rng), *rng.standard_normal((2, count, 6))


@pytest.fixture(scope="module")
def form(model, state):
    return model.leg_form(*state)


def test_names_of_the_chapter_are_our_kernels(model, form, state):
    pose, twist, _ = state
    np.testing.assert_allclose(form.q_i[..., 2], model.inverse_kinematics(pose), rtol=1e-13)
    np.testing.assert_allclose(form.J_inv, model.jacobian(pose), atol=1e-12)
    force = model.inverse_dynamics(*state)
    np.testing.assert_allclose(form.tau_a, force, atol=1e-9 * np.abs(force).max())
    speeds = model.all_joints(*state).velocity.reshape(-1, 6, 3)
    in_frame = np.swapaxes(form.R_3i, -1, -2) @ form.J_vi  # v_i in frame 3i, by the twist
    rates = np.einsum("tijk,tk->tij", np.linalg.solve(form.J_i, in_frame), twist)
    np.testing.assert_allclose(rates, speeds, atol=1e-10)  # (30)
    np.testing.assert_allclose(
        np.einsum("tijk,tk->tij", form.G_i, speeds[..., 2]), speeds, atol=1e-9
    )


def test_the_platform_and_the_legs_make_the_forces(form):
    """(9): τ_a = J_Pᵀ w_P + Σ G_iᵀ τ_i with J_P = J_inv⁻¹."""
    forces = np.einsum("tijk,tij->tk", form.G_i, form.tau_i)
    forces += np.linalg.solve(np.swapaxes(form.J_inv, 1, 2), form.w_P[..., None])[..., 0]
    np.testing.assert_allclose(forces, form.tau_a, atol=1e-9 * np.abs(forces).max())


def test_angles_are_those_of_table_1(model, state):
    """At home they are θ_1, θ_2 and r_3; R_3i is the product of the transforms, also elsewhere."""
    home, away = (model.leg_form(pose) for pose in (np.array(model.robot.home), state[0][0]))
    for k, leg in enumerate(leg_parameters(model.robot).legs):
        table = [leg[0].theta, leg[1].theta, leg[2].r]
        np.testing.assert_allclose(
            np.exp(1j * home.q_i[k]), np.exp(1j * np.array(table)), atol=1e-9
        )
        assert [joint.alpha for joint in leg[1:]] == pytest.approx([np.pi / 2] * 2)
        for at in (home, away):
            T = np.eye(4)
            for joint, moved in zip(leg, at.q_i[k] - table, strict=True):
                T = T @ joint.transform(moved)
            np.testing.assert_allclose(at.R_3i[k], T[:3, :3], atol=1e-10)


@pytest.mark.parametrize("name", ["delta", "dietmaier-1998"])
def test_machines_without_universal_joints_at_their_legs_have_no_such_form(name):
    with pytest.raises(AttributeError, match="no leg_form: expected a hexapod with UPS legs"):
        _ = gough.Model(gough.load(name)).leg_form
