"""Arrays with units and meanings on disk: MATLAB's .mat of version 5, and HDF5."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough._version import __version__
from gough.arrays import AnyArray
from gough.disk.plain_data import PlainData
from gough.distinct import distinct
from gough.errors import GoughError, needing

if TYPE_CHECKING:
    import xarray as xr

LONGEST_NAME = 63  # length of the name of a variable or a field in MATLAB
_MOST_BYTES = 2**31 - 1  # maximum size of a variable in a .mat file of version 5
_HEADER = f"MATLAB 5.0 MAT-file, made by Gough {__version__}".encode()
_HEADER_SIZE = 116
_KEYWORDS = frozenset(  # names that no variable of MATLAB may have
    """break case catch classdef continue else elseif end for function global if otherwise parfor
    persistent return spmd switch try while""".split()
)
_BESIDE = ("units", "descriptions", "labels")
"""Structs beside the variables of a .mat file that say what these are."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """An array of numbers or texts, with what it is."""

    values: AnyArray
    unit: str = ""
    meaning: str = ""
    axes: tuple[tuple[str, ...], ...] = ()
    """Scales of its first axes: paths from the group to other arrays, as ("time",)."""
    labels: AnyArray | None = None
    """Names of the numbers of one row, in the shape of the axes behind these."""


@dataclass(frozen=True, eq=False)
class Group:
    """Arrays by name, groups by name, and words about them."""

    arrays: Mapping[str, Labelled] = field(default_factory=dict)
    groups: Mapping[str, Group] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)


def write_mat(group: Group, path: Path) -> None:
    """A group as variables of a .mat file, with the structs `units`, `descriptions`, `labels`.

    These have the variables' names as fields. Groups are structs, texts cells, and names are such
    as MATLAB takes: at most 63 letters, digits and _, no two alike.
    """
    from scipy.io import savemat  # noqa: PLC0415  (slow to import)

    variables = _struct(group)
    for name, value in variables.items():
        if (size := _bytes(value)) > _MOST_BYTES:
            raise GoughError(
                f"{path.name}: {name} has {size:.3g} bytes, a variable of a .mat file at most "
                f"{_MOST_BYTES:.3g}; expected fewer samples or quantities, or hdf5"
            )
    file = BytesIO()
    savemat(file, variables, long_field_names=True, do_compression=True, oned_as="column")
    content = file.getvalue()  # begins with the time and the platform
    path.write_bytes(_HEADER.ljust(_HEADER_SIZE) + content[_HEADER_SIZE:])


def need_h5py() -> Any:
    """The package that writes HDF5; a GoughError that says how to get it."""
    with needing("h5py", "data", "HDF5 files"):
        import h5py  # noqa: PLC0415  (not everybody has it)
    return h5py


def write_hdf5(group: Group, path: Path) -> None:
    """A group as HDF5: a dataset for each array, with units, description and labels, and scales."""
    with need_h5py().File(path, "w", track_order=True) as file:
        _write_group(group, file)


def _struct(group: Group) -> PlainData:
    """A group as savemat takes a struct."""
    given, taken = [*group.arrays, *group.groups], (*_BESIDE, *group.about)
    names = distinct(map(_matlab_name, given), taken, LONGEST_NAME)
    arrays = dict(zip(names, group.arrays.values(), strict=False))
    inner = zip(names[len(arrays) :], group.groups.values(), strict=True)
    labelled = {name: array for name, array in arrays.items() if array.labels is not None}
    return {
        **group.about,
        **{name: _numbers_or_texts(array.values) for name, array in arrays.items()},
        **{name: _struct(one) for name, one in inner},
        "units": {name: array.unit for name, array in arrays.items()},
        "descriptions": {name: array.meaning for name, array in arrays.items()},
        "labels": {name: np.asarray(array.labels, object) for name, array in labelled.items()},
    }


def _matlab_name(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return plain if plain[:1].isalpha() and plain not in _KEYWORDS else f"x_{plain}"


def _numbers_or_texts(values: AnyArray) -> AnyArray:
    return values if values.dtype.kind in "iuf" else values.astype(object)


def _bytes(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(map(_bytes, value.values()))
    return int(value.nbytes) if isinstance(value, np.ndarray) else len(value)


def _write_group(group: Group, to: Any) -> None:
    to.attrs.update(group.about)
    for name, inner in group.groups.items():
        _write_group(inner, to.create_group(_path(name), track_order=True))
    for name, array in group.arrays.items():
        values = _numbers_or_texts(array.values)
        options = {"compression": "gzip", "shuffle": True} if values.size > 1 else {}
        if values.dtype == object:
            options["dtype"] = need_h5py().string_dtype()
        data = to.create_dataset(_path(name), data=values, **options)
        data.attrs.update({"units": array.unit, "description": array.meaning})
        if array.labels is not None:
            data.attrs["labels"] = np.asarray(array.labels, object)
    for name, array in group.arrays.items():
        for dimension, axis in zip(to[_path(name)].dims, array.axes, strict=False):
            scale = to["/".join(map(_path, axis))]
            dimension.label = axis[-1]
            if scale.name != to[_path(name)].name:
                scale.make_scale(axis[-1])
                dimension.attach_scale(scale)


def _path(name: str) -> str:
    """A name as one step of a path in an HDF5 file, where slash and dot mean something."""
    return "\N{ONE DOT LEADER}" if name == "." else name.replace("/", "\N{DIVISION SLASH}")


def to_xarray(
    arrays: Mapping[str, tuple[Labelled, Sequence[tuple[str, Iterable[object]]]]],
    about: Mapping[str, str],
) -> xr.Dataset:
    """Arrays as a dataset of xarray, each with the names and the values of its axes.

    Axes of one name and other values are called after the array that has them.
    """
    with needing("xarray", "data", "datasets"):
        import xarray as xr  # noqa: PLC0415  (not everybody has it)

    axes: dict[str, list[Any]] = {}
    variables = {}
    for name, (array, along) in arrays.items():
        dims = []
        for axis, values in along:
            same = axes.setdefault(axis, list(values)) == list(values)
            dims.append(axis if same else f"{name} {axis}")
            axes.setdefault(dims[-1], list(values))
        attributes = {"units": array.unit, "long_name": array.meaning}
        variables[name] = (dims, np.asarray(array.values), attributes)
    return xr.Dataset(variables, axes, dict(about))
