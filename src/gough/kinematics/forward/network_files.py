"""Trained networks on disk: one file per robot, named by its fingerprint.

Other processes see all of a file or nothing. One that cannot be read, or holds something else,
counts as absent.
"""

from __future__ import annotations

import contextlib
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.disk.files import cache_folder, replacing

DIRECTORY_VARIABLE = "GOUGH_NEURAL_DIR"
FORMAT = 1

Layers = tuple[tuple[Array, Array], ...]


def directory() -> Path:
    """The folder: that of the environment variable, or the platform's own for caches."""
    return cache_folder(DIRECTORY_VARIABLE, "neural")


def read(fingerprint: str, shapes: list[tuple[int, int]]) -> Layers | None:
    """The layers of a robot's network; None if they are not there, not whole or not so shaped."""
    try:
        content = io.BytesIO(_path(fingerprint).read_bytes())
        with np.load(content, allow_pickle=False) as file:
            if file["fingerprint"] != fingerprint:
                return None
            layers = tuple((file[f"weights_{k}"], file[f"offsets_{k}"]) for k in range(len(shapes)))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    for (weights, offsets), shape in zip(layers, shapes, strict=True):
        whole = weights.shape == shape and offsets.shape == shape[:1]
        if not (whole and np.isfinite(weights).all() and np.isfinite(offsets).all()):
            return None
    return layers


def write(fingerprint: str, layers: Layers) -> None:
    """Keep a network; whatever goes wrong with the disk means that it is not kept."""
    arrays: dict[str, Any] = {"fingerprint": np.array(fingerprint)}
    for k, (weights, offsets) in enumerate(layers):
        arrays |= {f"weights_{k}": weights, f"offsets_{k}": offsets}
    path = _path(fingerprint)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as part:
            np.savez(part, **arrays)


def _path(fingerprint: str) -> Path:
    return directory() / f"{fingerprint}.{FORMAT}.npz"
