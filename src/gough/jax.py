"""Kernels and rollouts as differentiable functions of JAX's arrays: with grad, vmap and jit.

>>> import gough, jax
>>> from gough.jax import differentiable
>>> jax.config.update("jax_enable_x64", True)
>>> force_of = differentiable(gough.Model(gough.load("kalani-2016")).inverse_dynamics)
>>> pose = jax.numpy.array([0, 0, 1, 1, 0, 0, 0.0])
>>> jax.grad(lambda pose: force_of(pose).sum())(pose).shape
(7,)

Arrays are read where they are: on processors by the kernel in double precision; on a GPU through
CuPy, by a kernel in their precision and by a rollout in double precision. Results have JAX's
precision, which is single unless `jax_enable_x64` is set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from gough.arrays import is_on_gpu
from gough.compiler.native.argument_arrays import batch_shape
from gough.compiler.native.kernel import Kernel
from gough.errors import needing
from gough.simulation.rollout import Rollout, described

with needing("jax", "jax", "arrays of JAX"):
    import jax
    import jax.numpy as jnp

    from gough.jax_calls import register

Arrays: TypeAlias = jax.Array | tuple[jax.Array, ...]
"""Array of a kernel with one output, or several of them."""


def differentiable(kernel: Kernel[Any] | Rollout) -> Callable[..., Any]:
    """Return a kernel, or a rollout, as a function of JAX's arrays with its own derivatives.

    It takes arrays by place or by name, with any axes in front, and gives an array, or several.
    """
    several = len(described(kernel).outputs) > 1

    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def through(*arrays: jax.Array) -> Arrays:
        found = _computed(kernel, arrays)
        return found if several else found[0]

    def forward(*arrays: jax.Array) -> tuple[Arrays, tuple[jax.Array, ...]]:
        return through(*arrays), arrays

    def backward(arrays: tuple[jax.Array, ...], slopes: Arrays) -> tuple[jax.Array, ...]:
        found = _computed(kernel.adjoint, (*arrays, *(slopes if several else (slopes,))))
        return tuple(_summed(d, x) for d, x in zip(found, arrays, strict=True))

    through.defvjp(forward, backward)

    def function(*arrays: ArrayLike, **named: ArrayLike) -> Arrays:
        given = kernel.completed(arrays, named)
        return through(*(jnp.asarray(x, dtype=float) for x in given))

    function.__doc__, function.__name__ = kernel.__doc__, kernel.name
    return function


def _computed(kernel: Kernel[Any] | Rollout, arrays: Sequence[jax.Array]) -> tuple[jax.Array, ...]:
    """Return a kernel's results, as calls of compiled functions of JAX."""
    about = kernel.description
    batch = batch_shape(kernel.name, about.inputs, arrays)
    number = jnp.asarray(0.0).dtype
    shapes = tuple(jax.ShapeDtypeStruct(batch + a.shape, number) for a in about.outputs)
    # all have as many axes: vmap puts another one in front of each
    lacking = (
        len(batch) + len(a.shape) - x.ndim for a, x in zip(about.inputs, arrays, strict=True)
    )
    given = [x.reshape((1,) * n + x.shape) for n, x in zip(lacking, arrays, strict=True)]
    call = jax.ffi.ffi_call(_target(kernel), shapes, vmap_method="expand_dims")
    return tuple(call(*given))


@cache
def _target(kernel: Kernel[Any] | Rollout) -> str:
    """Return the name by which JAX calls a kernel."""

    def compute(*arrays: Any) -> Sequence[Any]:
        called: Callable[..., Any] = kernel
        if isinstance(kernel, Kernel) and is_on_gpu(arrays[0]):
            called = kernel.on_gpu(arrays[0].dtype)
        found = called(*arrays)
        return found if isinstance(found, tuple) else (found,)

    return register(kernel.name, compute)


def _summed(slope: jax.Array, array: jax.Array) -> jax.Array:
    """Return the sum of the derivatives of samples that share an array."""
    extra = slope.ndim - array.ndim
    summed = slope.sum(axis=tuple(range(extra)))
    shared = tuple(k for k, n in enumerate(array.shape) if n == 1 and summed.shape[k] > 1)
    return summed.sum(axis=shared, keepdims=True) if shared else summed
