"""Kernels as differentiable functions of PyTorch's tensors, on processors and on GPUs.

>>> import gough, torch
>>> from gough.torch import differentiable
>>> force_of = differentiable(gough.Model(gough.load("kalani-2016")).inverse_dynamics)
>>> pose = torch.tensor([0, 0, 1, 1, 0, 0, 0.0], dtype=torch.float64, requires_grad=True)
>>> force_of(pose).sum().backward()
>>> pose.grad.shape
torch.Size([7])

A tensor on a GPU is read and written where it is, by CuPy; one of a processor by NumPy. Tensors of
single precision are computed in single precision on a GPU, in double precision on processors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from gough.compiler.native.argument_arrays import complete
from gough.compiler.native.kernel import Kernel


def differentiable(kernel: Kernel[Any]) -> Callable[..., Any]:
    """Return a kernel as a function of tensors, whose derivatives are the kernel's own.

    It takes tensors by place or by name, with any axes in front, and gives a tensor, or several.
    """
    about = kernel.description
    names = [a.name for a in about.inputs]

    class Through(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(context: Any, *tensors: Any) -> Any:
            context.save_for_backward(*tensors)
            found = _computed(kernel, tensors)
            return found if len(about.outputs) > 1 else found[0]

        @staticmethod
        def backward(context: Any, *slopes: Any) -> Any:
            tensors = context.saved_tensors
            full = [torch.zeros_like(tensors[0]) if d is None else d.contiguous() for d in slopes]
            found = _computed(kernel.adjoint, (*tensors, *full))
            # what several samples share has the sum of their derivatives
            return tuple(d.sum_to_size(x.shape) for d, x in zip(found, tensors, strict=True))

    def function(*taken: Any, **named: Any) -> Any:
        given = complete(kernel.name, about.inputs, dict(zip(names, taken, strict=False)) | named)
        like = next(x for x in given.values() if isinstance(x, torch.Tensor))
        tensors = (x if isinstance(x, torch.Tensor) else torch.tensor(x) for x in given.values())
        return Through.apply(*(x.to(dtype=like.dtype, device=like.device) for x in tensors))

    function.__doc__, function.__name__ = kernel.__doc__, kernel.name
    return function


def _computed(kernel: Kernel[Any], tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a kernel's results as tensors, computed where the tensors are."""
    apart = [x.detach() for x in tensors]
    like = apart[0]
    if like.is_cuda:
        found = kernel.on_gpu(str(like.dtype).removeprefix("torch."))(*apart)
    else:
        found = kernel(*(x.numpy() for x in apart))
    several = found if isinstance(found, tuple) else (found,)
    return tuple(_tensor(x).to(like.dtype) for x in several)


def _tensor(array: Any) -> Any:
    return torch.from_dlpack(array) if hasattr(array, "__dlpack__") else torch.tensor(array)
