"""Tables on disk: columns of numbers or text as Parquet and CSV."""

from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from gough.disk.plain_data import PlainData, PlainMapping
from gough.errors import InputError

MOST_NUMBERS = 2**27  # maximum size of a table that is read: a gibibyte in memory
_NUMBER = 8  # bytes of a number
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""With these a cell begins that a spreadsheet computes."""


def table_content(columns: PlainMapping) -> bytes:
    """Columns as the content of a .parquet file."""
    file = BytesIO()
    write_parquet(columns, file)
    return file.getvalue()


def write_parquet(columns: PlainMapping, where: Path | BytesIO) -> None:
    """Columns as a .parquet file."""
    import pyarrow as pa  # noqa: PLC0415  (slow to import)
    import pyarrow.parquet as pq  # noqa: PLC0415

    table = pa.table({name: _array(values) for name, values in columns.items()})
    text = [field.name for field in table.schema if not pa.types.is_floating(field.type)]
    # numbers hardly repeat: to collect them first takes longer, and makes larger files
    pq.write_table(table, where, compression="zstd", use_dictionary=text)


def write_csv(columns: PlainMapping, path: Path) -> None:
    """Columns as a .csv file. Text, which users may have written, is never a formula in it."""
    import pyarrow as pa  # noqa: PLC0415  (slow to import)
    import pyarrow.csv as pa_csv  # noqa: PLC0415

    arrays = [_array(values) for values in columns.values()]
    for k, array in enumerate(arrays):
        if pa.types.is_string(array.type):
            arrays[k] = pa.array([_as_text(cell) for cell in array.to_pylist()])
    pa_csv.write_csv(pa.table(arrays, [_as_text(name) for name in columns]), path)


def read_table(content: bytes, path: Path) -> PlainData:
    """The columns of a .parquet file's content; the path is for the complaint."""
    return _columns_of_parquet(content, path, lambda file: file.read())


def read_numbers(content: bytes, path: Path) -> PlainData:
    """The columns of numbers of a .parquet file's content, at most MOST_NUMBERS.

    What the file says of their size is looked at first: in the file they can be a thousand times
    smaller. Text, which can be smaller still, is not read.
    """
    from pyarrow import types  # noqa: PLC0415  (slow to import)

    of_numbers = (types.is_integer, types.is_floating, types.is_boolean)

    def read(file: Any) -> Any:
        names = [p.name for p in file.schema_arrow if any(is_(p.type) for is_ in of_numbers)]
        groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
        _refuse_large(path, sum(group.num_rows for group in groups) * len(names))
        _refuse_large(path, sum(group.total_byte_size for group in groups) // _NUMBER)
        return file.read(columns=names)

    return _columns_of_parquet(content, path, read)


def read_csv(content: bytes, path: Path) -> PlainData:
    """The columns of a .csv file's content, with headings; the path is for the complaint."""
    import pyarrow as pa  # noqa: PLC0415  (slow to import)
    import pyarrow.csv as pa_csv  # noqa: PLC0415

    _refuse_large(path, content.count(b",") + content.count(b"\n"))
    try:
        return _columns(pa_csv.read_csv(pa.BufferReader(content)), path)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=path) from None


def _columns_of_parquet(content: bytes, path: Path, read: Callable[[Any], Any]) -> PlainData:
    import pyarrow as pa  # noqa: PLC0415  (slow to import)
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        return _columns(read(pq.ParquetFile(pa.BufferReader(content))), path)
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=path) from None


def _columns(table: Any, path: Path) -> PlainData:
    twice = [name for name, count in Counter(table.column_names).items() if count > 1]
    if twice:
        raise InputError(f"two columns {twice[0][:60]!r}", file=path, expected="each heading once")
    return {name: _values(table.column(name)) for name in table.column_names}


def _refuse_large(path: Path, numbers: int) -> None:
    if numbers > MOST_NUMBERS:
        expected = f"at most {MOST_NUMBERS:,}"
        raise InputError(f"{numbers:,} numbers", file=path, expected=expected)


def _array(values: object) -> Any:
    """A column as Arrow has it; numbers without Arrow's own way, which imports pandas."""
    import pyarrow as pa  # noqa: PLC0415  (slow to import)

    if not isinstance(values, np.ndarray) or values.dtype not in (np.float64, np.int64):
        return pa.array(values)
    memory = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, memory])


def _values(column: Any) -> Any:
    """A column as NumPy has it; numbers without Arrow's own way, which imports pandas."""
    import pyarrow as pa  # noqa: PLC0415  (slow to import)

    if column.type not in (pa.float64(), pa.int64()) or column.null_count or not len(column):
        return column.to_numpy()
    return np.concatenate([np.from_dlpack(chunk) for chunk in column.chunks])


def _as_text(cell: str) -> str:
    """Text that a spreadsheet does not take for a formula: an apostrophe says that it is text."""
    return f"'{cell}" if cell.startswith(_FORMULA_SIGNS) and not _is_number(cell) else cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
