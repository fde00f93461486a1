"""Matrices in files, as programs of finite elements write them: CSV, Matrix Market, NumPy."""

import math
import re
from pathlib import Path
from typing import Final

import numpy as np

from gough.arrays import Array
from gough.errors import InputError, about_file
from gough.fields.user_files import read_content, read_text

MOST_BYTES = 2**20  # maximum size of a file: a matrix of a few hundred rows
MOST_ROWS = 1000
KINDS: Final = (".csv", ".mtx", ".npy")
"""Endings of the names of files that can be read, in small letters."""
_WANTED = "a CSV, Matrix Market (.mtx) or NumPy (.npy) file with a matrix"
_BANNER = re.compile(
    r"%%matrixmarket\s+matrix\s+(coordinate|array)\s+(?:real|integer)\s+"
    r"(general|symmetric|skew-symmetric)"
)
_FIRST = {"symmetric": 0, "skew-symmetric": 1}
"""Distance below the diagonal at which the columns of dense files begin."""
_HEADER = (
    re.compile(r"'descr': *'([^']*)'"),
    re.compile(r"'fortran_order': *(True|False)"),
    re.compile(r"'shape': *\(([\d, ]*)\)"),
)
"""Keys of the header of a file of NumPy."""
_REAL = {f"{order}{kind}" for order in "<>" for kind in ("f2", "f4", "f8", "i2", "i4", "i8")}
_REAL |= {kind.replace("i", "u") for kind in _REAL} | {"|i1", "|u1"}
_DIGITS = 9  # maximum number of digits of a size
_COMMENT = re.compile(r"[#%].*")
_BETWEEN = re.compile(r"\s*[,;]\s*|\s+")


def read_matrix(path: Path) -> Array:
    """The square matrix (n, n) of a file, of finite real numbers. Raises InputError."""
    content = read_content(path, _WANTED, MOST_BYTES)
    with about_file(path):
        match path.suffix.lower():
            case ".csv":
                matrix = _of_rows(read_text(path, _WANTED, MOST_BYTES))
            case ".mtx":
                matrix = _of_matrix_market(read_text(path, _WANTED, MOST_BYTES))
            case ".npy":
                matrix = _of_numpy(content)
            case other:
                raise InputError(f'unknown kind of file "{other}"', expected=_WANTED)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
            shape = " x ".join(map(str, matrix.shape))
            raise InputError(f"{shape} numbers", expected="a square matrix")
        if not np.isfinite(matrix).all():
            raise InputError("not all numbers are finite", expected="a matrix of finite numbers")
        return matrix


def _of_rows(text: str) -> Array:
    """A line a row, with commas, semicolons or spaces; # and % begin comments."""
    rows: list[list[float]] = []
    for line, words in enumerate(text.splitlines(), 1):
        said = _COMMENT.sub("", words).strip()
        if not said:
            continue
        try:
            rows.append([float(word) for word in _BETWEEN.split(said)])
        except ValueError:
            problem = f"line {line} is not a row of numbers"
            raise InputError(problem, value=said, expected="numbers alone") from None
        if len(rows[-1]) != len(rows[0]):
            expected = f"{len(rows[0])}, as in the first row"
            raise InputError(f"line {line} has {len(rows[-1])} numbers", expected=expected)
    return np.array(rows, dtype=float)


def _of_matrix_market(text: str) -> Array:
    """Read the exchange format of the Matrix Market, dense or sparse [Boisvert 1996].

    It is read here: compiled readers can crash on a file that is not what it says.
    """
    head, _, body = text.partition("\n")
    banner = _BANNER.fullmatch(head.strip().lower())
    if banner is None:
        problem = f'not a real matrix of the Matrix Market: it begins with "{head[:80]}"'
        raise InputError(problem, expected=_WANTED)
    layout, symmetry = banner.groups()
    lines = (line for line in body.splitlines() if not line.startswith("%"))
    try:
        numbers = np.array([float(word) for line in lines for word in line.split()])
        sizes, entries = np.split(numbers, [3 if layout == "coordinate" else 2])
        rows, columns, count = map(int, sizes if layout == "coordinate" else (*sizes, 0))
    except (ValueError, OverflowError) as error:
        raise InputError(f"not a matrix of the Matrix Market: {error}", expected=_WANTED) from None
    if not 1 <= min(rows, columns) <= max(rows, columns) <= MOST_ROWS:
        problem = f"a matrix of {rows} x {columns}"
        raise InputError(problem, expected=f"a real one of at most {MOST_ROWS} rows")
    if layout == "coordinate":
        _refuse_other(len(entries), 3 * count)
        places, values = entries.reshape(-1, 3)[:, :2].T - 1.0, entries[2::3]
    else:
        column, row = np.divmod(np.arange(rows * columns), rows)
        stored = row - column >= _FIRST.get(symmetry, -columns)
        places, values = np.array([row[stored], column[stored]], float), entries
        _refuse_other(len(entries), places.shape[1])
    return _filled(places, values, (rows, columns), symmetry)


def _refuse_other(count: int, expected: int) -> None:
    if count != expected:
        raise InputError(f"{count:,} numbers of entries", expected=f"{expected:,}, as it says")


def _filled(places: Array, values: Array, shape: tuple[int, int], symmetry: str) -> Array:
    """The matrix of values at places, rows and columns from 0; equal places add up."""
    inside = (places >= 0) & (places < np.array(shape)[:, None]) & (places == np.trunc(places))
    if not inside.all():
        problem = "an entry outside of the matrix"
        raise InputError(problem, value=float(places[~inside][0]) + 1.0, expected="1, 2, …")
    if not np.isfinite(values).all():
        raise InputError("not all numbers are finite", expected="a matrix of finite numbers")
    matrix = np.zeros(shape)
    np.add.at(matrix, tuple(places.astype(int)), values)
    if symmetry == "general" or shape[0] != shape[1]:
        return matrix
    twice = np.argwhere((matrix != 0.0) & (matrix.T != 0.0) & ~np.eye(len(matrix), dtype=bool))
    if len(twice):
        row, column = twice[-1] + 1
        problem = f"entries on both sides of the diagonal of a {symmetry} matrix"
        raise InputError(problem, value=[int(row), int(column)], expected="those of one side")
    mirrored = matrix.T * (-1.0 if symmetry == "skew-symmetric" else 1.0)
    return matrix + mirrored - np.diag(np.diag(mirrored))


def _of_numpy(content: bytes) -> Array:
    """Read an array of real numbers that NumPy saved; its header says no more than the file has."""
    wide = 2 if content[6:7] == b"\1" else 4  # bytes of the header's length, by the version
    start = 8 + wide + int.from_bytes(content[8 : 8 + wide], "little")
    header = content[8 + wide : start].decode("latin-1")
    kind, order, shape = (key.search(header) for key in _HEADER)
    if content[:6] != b"\x93NUMPY" or not (kind and order and shape):
        raise InputError("not an array of numbers of NumPy", expected=_WANTED)
    if kind[1] not in _REAL:
        raise InputError(f"numbers of kind {kind[1]}", expected="a matrix of real numbers")
    sizes = [int(size[:_DIGITS]) for size in re.findall(r"\d+", shape[1])]
    number = np.dtype(kind[1])
    size, left = math.prod(sizes) * number.itemsize, len(content) - start
    if size != left:
        raise InputError(f"{left:,} bytes of numbers", expected=f"{size:,}, as its header says")
    numbers = np.frombuffer(content, number, offset=start)
    return numbers.reshape(sizes, order="F" if order[1] == "True" else "C").astype(float)
