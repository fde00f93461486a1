"""Kernels in PyTorch and JAX: numbers, derivatives, batches, and what is shared between samples."""

import numpy as np
import pytest

import gough
from gough.errors import KernelArgumentError

MODEL = gough.Model(gough.load("delta"))
HOME = np.array(MODEL.robot.home)


def states(n):
    rng = np.random.default_rng(2)
    pose = np.tile(HOME, (n, 1)) + np.pad(rng.uniform(-0.05, 0.05, (n, 3)), ((0, 0), (0, 4)))
    twist = np.pad(rng.normal(size=(n, 3)), ((0, 0), (0, 3)))
    return pose, twist


def slope_along(pose, twist, d_pose, d_twist):
    """The change of the sum of squared forces, by central differences."""

    def total(share):
        return (MODEL.inverse_dynamics(pose + share * d_pose, twist + share * d_twist) ** 2).sum()

    h = 1e-6
    return (8 * (total(h) - total(-h)) - (total(2 * h) - total(-2 * h))) / (12 * h)


def test_torch_has_the_kernels_numbers_and_derivatives():
    torch = pytest.importorskip("torch", reason="pip install torch")
    from gough.torch import differentiable

    force_of = differentiable(MODEL.inverse_dynamics)
    pose, twist = states(5)
    shared = twist[0]  # one twist for all poses
    tensors = [torch.tensor(x, requires_grad=True) for x in (pose, shared)]
    force = force_of(*tensors)
    np.testing.assert_array_equal(force.detach().numpy(), MODEL.inverse_dynamics(pose, shared))
    (force**2).sum().backward()
    rng = np.random.default_rng(1)
    d_pose, d_twist = rng.normal(size=pose.shape), rng.normal(size=6)
    along = (tensors[0].grad.numpy() * d_pose).sum() + (tensors[1].grad.numpy() * d_twist).sum()
    assert along == pytest.approx(slope_along(pose, shared, d_pose, d_twist), rel=1e-7)
    assert torch.autograd.gradcheck(force_of, tensors, atol=1e-4, rtol=1e-6)
    assert force_of(tensors[0].float()).dtype == torch.float32
    slope = torch.autograd.grad((force_of(*tensors) ** 2).sum(), tensors[0], create_graph=True)[0]
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()
    for wrong in ([torch.tensor([0, 0, 1, 1, 0, 0, 0])], [HOME], [*tensors, 0, 0, 0]):
        with pytest.raises(KernelArgumentError):
            force_of(*wrong)


def test_jax_has_the_kernels_numbers_and_derivatives():
    jax = pytest.importorskip("jax", reason="pip install jax")
    from gough.jax import differentiable

    with jax.enable_x64(True):
        force_of = differentiable(MODEL.inverse_dynamics)
        pose, twist = states(5)
        shared = twist[0]
        expected = MODEL.inverse_dynamics(pose, shared)
        np.testing.assert_array_equal(force_of(pose, twist=shared), expected)
        np.testing.assert_array_equal(jax.jit(force_of)(pose, shared), expected)
        one_by_one = jax.vmap(force_of, in_axes=(0, None))(pose, shared)
        np.testing.assert_array_equal(one_by_one, expected)

        grid = np.tile(pose, (5, 1, 1)) + 1e-3 * np.arange(5)[:, None, None] * [1, 0, 0, 0, 0, 0, 0]
        several = jax.vmap(force_of)(grid, twist)  # (5, 7) and (6) of each
        np.testing.assert_array_equal(several, MODEL.inverse_dynamics(grid, twist[:, None]))
        with pytest.raises(KernelArgumentError):
            force_of(pose, shared, twist=shared)

        def total(pose, twist):
            return (force_of(pose, twist) ** 2).sum()

        by_pose, by_twist = jax.jit(jax.grad(total, argnums=(0, 1)))(pose, shared)
        each = jax.vmap(jax.grad(total), in_axes=(0, None))(pose, shared)
        np.testing.assert_allclose(by_pose, each, rtol=1e-12)
        rng = np.random.default_rng(1)
        d_pose, d_twist = rng.normal(size=pose.shape), rng.normal(size=6)
        along = (by_pose * d_pose).sum() + (by_twist * d_twist).sum()
        assert along == pytest.approx(slope_along(pose, shared, d_pose, d_twist), rel=1e-7)
