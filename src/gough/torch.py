"""Kernels and rollouts as differentiable functions of PyTorch's tensors, on processors and on GPUs.

>>> import gough, torch
>>> from gough.torch import differentiable
>>> force_of = differentiable(gough.Model(gough.load("kalani-2016")).inverse_dynamics)
>>> pose = torch.tensor([0, 0, 1, 1, 0, 0, 0.0], dtype=torch.float64, requires_grad=True)
>>> force_of(pose).sum().backward()
>>> pose.grad.shape
torch.Size([7])

A tensor on a GPU is read and written where it is, by CuPy, and keeps its precision; one of a
processor by NumPy, in double precision. Rollouts are computed in double precision, on either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gough.compiler.native.kernel import Kernel, Results
from gough.errors import KernelArgumentError, needing
from gough.simulation.rollout import Rollout, described

with needing("torch", "torch", "tensors"):
    import torch

Tensors: TypeAlias = torch.Tensor | tuple[torch.Tensor, ...]
"""Tensor of a kernel with one output, or several of them."""


def differentiable(kernel: Kernel[Results] | Rollout) -> Callable[..., Any]:
    """Return a kernel, or a rollout, as a function of tensors with its own derivatives.

    It takes tensors by place or by name, with any axes in front, and gives a tensor, or several.
    """
    several = len(described(kernel).outputs) > 1

    class Through(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(
            context: torch.autograd.function.FunctionCtx, *tensors: torch.Tensor
        ) -> Tensors:
            context.save_for_backward(*tensors)
            found = _computed(kernel, tensors)
            return found if several else found[0]

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(
            context: torch.autograd.function.FunctionCtx, *slopes: torch.Tensor
        ) -> tuple[torch.Tensor, ...]:
            tensors = context.saved_tensors
            found = _computed(kernel.adjoint, (*tensors, *(d.contiguous() for d in slopes)))
            # what several samples share has the sum of their derivatives
            return tuple(d.sum_to_size(x.shape) for d, x in zip(found, tensors, strict=True))

    def function(*taken: ArrayLike, **named: ArrayLike) -> Tensors:
        given = kernel.completed(taken, named)
        tensors = [x for x in given if isinstance(x, torch.Tensor)]
        kinds = {x.dtype for x in tensors} - {torch.float64, torch.float32}
        if kinds or not tensors:
            found = ", ".join(map(str, kinds)) or "no tensor"
            raise KernelArgumentError(
                f"{kernel.name}: got {found}; expected tensors of float64 or float32"
            )
        kind = torch.float64 if any(x.dtype == torch.float64 for x in tensors) else torch.float32
        return Through.apply(*(_tensor(x).to(dtype=kind, device=tensors[0].device) for x in given))

    function.__doc__, function.__name__ = kernel.__doc__, kernel.name
    return function


def _computed(
    kernel: Kernel[Results] | Rollout, tensors: tuple[torch.Tensor, ...]
) -> tuple[torch.Tensor, ...]:
    """Return a kernel's results as tensors, computed where the tensors are."""
    apart = [x.detach() for x in tensors]
    like = apart[0]
    if like.is_cuda:
        import cupy  # noqa: PLC0415  (an extra)

        stream = torch.cuda.current_stream(like.device).cuda_stream
        with cupy.cuda.Device(like.device.index), cupy.cuda.ExternalStream(stream):
            given = map(cupy.from_dlpack, apart)
            dtype = str(like.dtype).removeprefix("torch.")
            found = (kernel.on_gpu(dtype) if isinstance(kernel, Kernel) else kernel)(*given)
    else:
        found = kernel(*(x.cpu().numpy() for x in apart))
    several = found if isinstance(found, tuple) else (found,)
    return tuple(_tensor(x).to(like) for x in several)


def _tensor(array: ArrayLike | torch.Tensor) -> torch.Tensor:
    """Return a tensor of an array without a copy, or of numbers."""
    if isinstance(array, torch.Tensor):
        return array
    own = not isinstance(array, np.ndarray) or array.flags.writeable
    shared = own and hasattr(array, "__dlpack__")
    return torch.from_dlpack(array) if shared else torch.tensor(array)
