"""Hardware that computes: the processors of this computer, or its GPU."""

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from gough.errors import InputError

Device = Literal["cpu", "gpu"]
"""Hardware that computes: the processors of this computer, or its GPU."""


def arrays_of(device: Device) -> Callable[..., Any]:
    """Return the function that makes arrays there; CompilerError if there is no GPU."""
    if device not in get_args(Device):
        raise InputError("unknown", key="device", value=device, expected="cpu or gpu")
    if device == "cpu":
        return np.asarray
    from gough.compiler.source.gpu import cupy_of_a_gpu  # noqa: PLC0415  (few have one)

    made: Callable[..., Any] = cupy_of_a_gpu().asarray
    return made
