"""Tables on disk: columns of numbers or text as Parquet and CSV."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import GoughError

_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""With these a cell begins that a spreadsheet computes."""


def table_content(columns: Mapping[str, Any]) -> bytes:
    """Columns as the content of a .parquet file."""
    file = BytesIO()
    write_parquet(columns, file)
    return file.getvalue()


def write_parquet(columns: Mapping[str, Any], where: Path | BytesIO) -> None:
    """Columns as a .parquet file."""
    import pyarrow as pa  # noqa: PLC0415  (slow to import)
    import pyarrow.parquet as pq  # noqa: PLC0415

    table = pa.table({name: _array(values) for name, values in columns.items()})
    pq.write_table(table, where, compression="zstd")


def write_csv(columns: Mapping[str, Any], path: Path) -> None:
    """Columns as a .csv file. Text, which users may have written, is never a formula in it."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.csv as pa_csv  # noqa: PLC0415

    arrays = [_array(values) for values in columns.values()]
    arrays = [
        pa.array([_as_text(cell) for cell in array.to_pylist()])
        if pa.types.is_string(array.type)
        else array
        for array in arrays
    ]
    pa_csv.write_csv(pa.table(arrays, [_as_text(name) for name in columns]), path)


def read_table(content: bytes, path: Path) -> dict[str, Any]:
    """The columns of a .parquet file's content; the path is for the complaint."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        table = pq.read_table(pa.BufferReader(content))
    except (OSError, pa.ArrowException) as error:
        raise GoughError(f"{path}: cannot be read: {error}") from None
    return {name: table.column(name).to_numpy() for name in table.column_names}


def read_csv(content: bytes, path: Path) -> dict[str, Any]:
    """The columns of a .csv file's content, with headings; the path is for the complaint."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.csv as pa_csv  # noqa: PLC0415

    try:
        table = pa_csv.read_csv(pa.BufferReader(content))
    except pa.ArrowException as error:
        raise GoughError(f"{path}: cannot be read: {error}") from None
    return {name: table.column(name).to_numpy() for name in table.column_names}


def _array(values: Any) -> Any:
    """A column as Arrow has it; numbers without Arrow's own way, which imports pandas."""
    import pyarrow as pa  # noqa: PLC0415

    if not isinstance(values, np.ndarray) or values.dtype not in (np.float64, np.int64):
        return pa.array(values)
    memory = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, memory])


def _as_text(cell: str) -> str:
    """Text that a spreadsheet does not take for a formula: an apostrophe says that it is text."""
    return f"'{cell}" if cell.startswith(_FORMULA_SIGNS) and not _is_number(cell) else cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
