"""Kernels and rollouts in PyTorch and JAX: numbers, derivatives, batches, and shared numbers."""

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.errors import GoughError, KernelArgumentError
from gough.motion import Quintic, line
from gough.simulation import (
    Sampling,
    Scenario,
    Sensors,
    joint_pid,
    open_loop,
    pd_gravity,
    real_plant,
    rigid_plant,
    rollout,
)

MODEL = gough.Model(gough.load("delta"))
HOME = np.array(MODEL.robot.home)
UP = line(HOME, [0.02, -0.01, 0.03], Quintic(0.02))
SCENARIO = Scenario(MODEL.robot, pd_gravity(200.0, 3.0), UP, sensors=Sensors(noise=1e-5), every=3)


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


def numbers_of_runs(run):
    """Two masses and two starts; gains and reference that both share, and a direction of each."""
    at = dict(run.defaults)
    at["memory"] = at["memory"] + 1e-3 * np.array([[0.0], [1.0]]) * (np.arange(26) == 1)
    at["parameters"] = np.array([[0.3], [0.4]])
    rng = np.random.default_rng(3)
    way = {k: rng.normal(size=x.shape) * np.maximum(np.abs(x).max(), 0.1) for k, x in at.items()}
    return at, way


def cost(run, at):
    memory, command = run(**at)
    return (memory[..., :7] ** 2).sum() + 1e-4 * (command**2).sum()


def slope_of_runs(run, at, way, h=1e-6):
    def total(share):
        return cost(run, {k: x + share * way[k] for k, x in at.items()})

    return (8 * (total(h) - total(-h)) - (total(2 * h) - total(-2 * h))) / (12 * h)


def test_a_rollout_is_the_run_of_its_scenario():
    memory, command = rollout(SCENARIO)()
    found = gough.simulate(SCENARIO)
    np.testing.assert_array_equal(memory[:, :7], found["pose"])
    assert len(memory) == len(command) == 7
    run = rollout(SCENARIO, ["platform.mass"])
    wrong = (
        {"memory": np.zeros(3)},
        {"reference": np.zeros((4, 19))},
        {"mass": 1.0},
        {"parameters": [["a"]]},
        {"parameters": np.ones((2, 1)), "gains": np.ones((3, 18))},
    )
    for named in wrong:
        with pytest.raises(KernelArgumentError, match="rollout"):
            run(**named)
    with pytest.raises(KernelArgumentError, match="given twice"):
        run(run.defaults["memory"], memory=run.defaults["memory"])
    with pytest.raises(GoughError, match="resolution"):
        rollout(replace(SCENARIO, sensors=Sensors(resolution=1e-6)))
    with pytest.raises(GoughError, match=r"did you mean platform\.mass\?"):
        rollout(SCENARIO, ["platform.mas"])
    with pytest.raises(GoughError, match="scenario is 'delta'"):
        rollout("delta")
    with pytest.raises(GoughError, match=r"varied is 'platform\.mass'; expected a list"):
        rollout(SCENARIO, "platform.mass")
    with pytest.raises(GoughError, match=r"cannot vary 'platform\.mass' twice"):
        rollout(SCENARIO, ["platform.mass", "platform.mass"])
    with pytest.raises(GoughError, match=r"the plant varies platform\.mass"):
        rollout(replace(SCENARIO, plant=rigid_plant(MODEL.robot, ("platform.mass",))))
    none = np.zeros((0, 1))
    assert [x.shape for x in run(parameters=none)] == [(0, 7, 26), (0, 7, 3)]
    np.testing.assert_array_equal(run.start([0.3]), run.defaults["memory"])


@pytest.mark.parametrize("held", ["currents", "delayed commands", "an integral"])
def test_memory_that_holds_the_machine_follows_from_parameters(held):
    def plant(robot):
        return real_plant(robot, stops=False) if held == "currents" else None

    integrating = joint_pid(2000, 40, 10)
    control = {"currents": open_loop(command="voltage"), "an integral": integrating}.get(
        held, SCENARIO.controller
    )
    sampling = Sampling(delay=2 if held == "delayed commands" else 0)
    given = {"controller": control, "plant": plant(MODEL.robot), "sampling": sampling}
    scenario = replace(SCENARIO, sensors=Sensors(), **given)
    run = rollout(scenario, ["platform.mass"])
    mass = MODEL.robot.platform.mass * np.array([1.0, 1.5])
    with pytest.raises(KernelArgumentError, match=r"expected memory, such as start\(parameters\)"):
        run(parameters=mass[:, None])
    start = run.start(mass[:, None])
    np.testing.assert_array_equal(start[1], run.start(mass[1:]))
    np.testing.assert_array_equal(start[0], rollout(scenario).defaults["memory"])
    memory, _ = run(memory=start, parameters=mass[:, None])
    platform = MODEL.robot.platform.model_copy(update={"mass": float(mass[1])})
    heavier = MODEL.robot.model_copy(update={"platform": platform})
    other = replace(scenario, plant=plant(heavier) or rigid_plant(heavier))
    found = gough.simulate(other)
    np.testing.assert_allclose(memory[1, :, :7], found["pose"], rtol=0, atol=1e-14)
    assert np.abs(memory[0] - memory[1]).max() > 1e-3


def test_torch_has_the_derivatives_of_rollouts():
    torch = pytest.importorskip("torch", reason="pip install torch")
    from gough.torch import differentiable

    run = rollout(SCENARIO, ["platform.mass"])
    at, way = numbers_of_runs(run)
    tensors = {k: torch.tensor(x, requires_grad=True) for k, x in at.items()}
    total = cost(differentiable(run), tensors)
    assert float(total.detach()) == pytest.approx(cost(run, at), rel=1e-15)
    total.backward()
    along = sum((x.grad.numpy() * way[k]).sum() for k, x in tensors.items())
    assert along == pytest.approx(slope_of_runs(run, at, way), rel=1e-7)


def test_jax_has_the_derivatives_of_rollouts():
    jax = pytest.importorskip("jax", reason="pip install jax")
    from gough.jax import differentiable

    run = rollout(SCENARIO, ["platform.mass"])
    at, way = numbers_of_runs(run)
    with jax.enable_x64(True):
        ours = differentiable(run)
        slopes = jax.jit(jax.grad(lambda at: cost(ours, at)))(at)
        along = sum(float((slopes[k] * way[k]).sum()) for k in at)
        assert along == pytest.approx(slope_of_runs(run, at, way), rel=1e-7)

        def of_one(memory, mass):
            return cost(ours, {"memory": memory, "parameters": mass})

        each = jax.vmap(jax.grad(of_one, argnums=(0, 1)))(at["memory"], at["parameters"])
        for name, found in zip(("memory", "parameters"), each, strict=True):
            np.testing.assert_allclose(found, slopes[name], rtol=1e-9, atol=1e-12)
        rows = jax.jacrev(lambda mass: ours(parameters=mass)[0][-1, :3])(at["parameters"][0])
        memory, _ = run(parameters=at["parameters"][0] + [[1e-5], [-1e-5]])
        np.testing.assert_allclose(
            rows[:, 0], (memory[0, -1] - memory[1, -1])[:3] / 2e-5, rtol=1e-6
        )


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

    with pytest.raises(GoughError, match=r"expected a kernel of a model, .* or a rollout"):
        differentiable(MODEL.forward_kinematics)
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


def test_an_error_in_a_call_of_jax_is_reported_in_its_words():
    jax = pytest.importorskip("jax", reason="pip install jax")
    from gough.jax_calls import register

    def halved(x, y):
        if x.shape[-1] != 2:
            raise GoughError(f"{x.shape[-1]} numbers; expected 2")
        return 0.5 * x, x - y

    target = register("halved", halved)

    def call(x, y):
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.ffi.ffi_call(target, (shape, shape), vmap_method="expand_dims")(x, y)

    x, y = jax.numpy.arange(6.0).reshape(3, 2), jax.numpy.ones((3, 2))
    for run in (jax.jit(call), jax.vmap(call)):
        half, apart = run(x, y)
        np.testing.assert_array_equal(half, x / 2)
        np.testing.assert_array_equal(apart, x - 1)
    with pytest.raises(Exception, match="GoughError: 3 numbers; expected 2"):
        jax.block_until_ready(call(jax.numpy.ones(3), jax.numpy.ones(3)))
