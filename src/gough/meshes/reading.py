"""Mesh files in the format of their suffix, with limits on their size.

STL has triangles without a unit and without colours, in binary or as text. OBJ has polygons as
text, without a unit; the colours of materials are in a file beside it. GLB is the binary form of
glTF 2.0: metres by its standard, y upwards, colours of materials. Only static geometry of it is
read: the triangles of the scene with their materials' base colours. Textures, animations and skins
are ignored.
"""

import json
import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np

from gough.arrays import AnyArray, Array
from gough.disk.plain_data import PlainData, PlainMapping
from gough.errors import InputError, about_file
from gough.fields.user_files import read_content, within
from gough.meshes.surface import Colour, Piece, Surface, refuse_more, surface_of
from gough.poses.quaternions import rotation_matrix

MOST_LINES = 3_000_000
LONGEST_LINE = 2**17
"""Maximum number of characters of a line, enough for a face of some thousand corners."""
MOST_MATERIALS = 10_000
MOST_LIBRARIES = 20  # maximum number of material files
_FREE_FORM = ("curv", "curv2", "surf", "bmat", "cstype")  # first words of lines of curved surfaces


def obj_pieces(content: bytes, beside: Callable[[str], bytes]) -> list[Piece]:
    """Return the faces of an OBJ file, by material; `beside` reads a file that it names.

    A face of more than three corners is cut into triangles around its first one. Lines and points
    have no surface, and normals follow from the triangles.
    """
    vertices = array("d")
    faces: dict[str, array[int]] = {}
    libraries: dict[str, Mapping[str, Colour]] = {}
    material, triangles = "", 0
    for number, (word, given) in _lines(content):
        try:
            if word == "v" and len(given) < 3:
                _refuse("a vertex without three numbers", "lines like v 1 2 3")
            if word == "v":
                vertices.extend(map(float, given[:3]))
            elif word == "f":
                faces.setdefault(material, array("q")).extend(_corners(given, len(vertices) // 3))
                triangles += len(given) - 2
                refuse_more(triangles)
            elif word == "usemtl":
                material = " ".join(given)
                if len(faces) > MOST_MATERIALS:
                    _refuse(f"more than {MOST_MATERIALS:,} materials", "fewer colours")
            elif word == "mtllib":  # read once; the materials of the last one count
                name = " ".join(given)
                found = libraries.pop(name, None)
                if len(libraries) >= MOST_LIBRARIES:
                    _refuse(f"more than {MOST_LIBRARIES} lines mtllib", "one")
                libraries[name] = _materials(beside(name)) if found is None else found
        except InputError:
            raise
        except (ValueError, OverflowError) as error:
            raise InputError(f"line {number}: {error}") from None
        if word in _FREE_FORM:
            problem = f"line {number}: a curved surface ({word})"
            raise InputError(problem, expected="polygons alone: export it as a mesh")
    points = np.array(vertices).reshape(-1, 3)
    colours = {name: colour for found in libraries.values() for name, colour in found.items()}
    return [
        Piece(points, np.array(those).reshape(-1, 3), colours.get(name))
        for name, those in faces.items()
    ]


def _refuse(problem: str, expected: str) -> NoReturn:
    raise InputError(problem, expected=expected)


def _lines(content: bytes) -> Iterator[tuple[int, tuple[str, Sequence[str]]]]:
    """Yield number, first word and the others of all lines with content; joins continued lines."""
    count = max(content.count(b"\n"), content.count(b"\r"))
    if count > MOST_LINES:
        raise InputError(f"{count:,} lines", expected=f"at most {MOST_LINES:,}: a coarser mesh")
    joined = content.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")
    text = TextIOWrapper(BytesIO(joined), encoding="utf-8", errors="replace")
    for number, line in enumerate(text, 1):
        if len(line) > LONGEST_LINE:
            problem = f"line {number}: {len(line):,} characters"
            raise InputError(problem, expected=f"at most {LONGEST_LINE:,} a line")
        words = line.partition("#")[0].split()
        if words:
            yield number, (words[0], words[1:])


def _corners(given: Sequence[str], known: int) -> Iterator[int]:
    """Yield corners of a face's triangles; indices count from 1, or back from the last vertex."""
    if len(given) < 3:
        raise ValueError(f"a face of {len(given)} corners")
    numbers = [int(corner.partition("/")[0]) for corner in given]
    first, *others = [n - 1 if n > 0 else known + n if n < 0 else -1 for n in numbers]
    for second, third in pairwise(others):
        yield from (first, second, third)


def _materials(content: bytes) -> Mapping[str, Colour]:
    """Diffuse colours by the names of materials."""
    found: dict[str, Colour] = {}
    name = ""
    for _, (word, given) in _lines(content):
        if word == "newmtl":
            name = " ".join(given)
        elif word == "Kd" and given and given[0] not in ("spectral", "xyz"):
            shares = (min(max(float(x), 0.0), 1.0) for x in [*given, *given, *given][:3])
            red, green, blue = (round(255 * share) for share in shares)
            found[name] = (red, green, blue)
    return found


MOST_PARTS = 20_000
"""Maximum number of nodes and primitives: a small file can show one mesh many times."""
MOST_TEXT = 2**22  # maximum number of bytes of JSON
_MAGIC, _JSON, _BIN = b"glTF", b"JSON", b"BIN\0"
_NUMBERS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_SIZES = {"SCALAR": 1, "VEC3": 3}
_HARMLESS = ("KHR_materials_", "KHR_texture_", "EXT_texture_")
"""Prefixes of extensions that do not affect the geometry."""
_UPWARDS = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""Rotation from y upwards to z upwards."""
_TRIANGLES, _STRIP, _FAN = 4, 5, 6


def glb_pieces(content: bytes) -> list[Piece]:
    """Return the triangles of the scene of a GLB file, z upwards."""
    tables, binary = _chunks(content)
    try:
        scene = _Scene(tables, binary)
        scene.refuse_what_is_not_supported()
        with np.errstate(over="ignore", invalid="ignore"):  # such corners are refused in a moment
            return list(scene.pieces())
    except InputError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        problem = f"not as glTF 2.0 says: {type(error).__name__} {error}"
        raise InputError(problem, expected="a GLB that other programs show") from None


def _chunks(content: bytes) -> tuple[PlainData, bytes]:
    """The tables and the binary data."""
    version, length = (int.from_bytes(content[k : k + 4], "little") for k in (4, 8))
    if content[:4] != _MAGIC:
        raise InputError("no GLB: it does not begin with glTF", expected="binary glTF 2.0")
    if version != 2:
        raise InputError(f"glTF of version {version}", expected="version 2")
    if len(content) < length:
        problem = f"cut short: {len(content):,} of {length:,} bytes"
        raise InputError(problem, expected="the whole file")
    chunks: dict[bytes, bytes] = {}
    place = 12
    for _ in (_JSON, _BIN):
        head, start = content[place : place + 8], place + 8
        place = start + int.from_bytes(head[:4], "little")
        chunks.setdefault(head[4:], content[start:place])
    text = chunks.get(_JSON, b"")
    if len(text) > MOST_TEXT:
        problem = f"{len(text):,} bytes of JSON"
        raise InputError(problem, expected=f"at most {MOST_TEXT:,}: fewer parts")
    try:
        tables = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"its JSON cannot be read: {error}") from None
    if not isinstance(tables, dict):
        raise InputError("its JSON is no table", expected="binary glTF 2.0")
    return tables, chunks.get(_BIN, b"")


@dataclass(frozen=True)
class _Scene:
    tables: PlainData
    binary: bytes

    def refuse_what_is_not_supported(self) -> None:
        """Refuse compressed meshes, and data outside of the file."""
        needed = map(str, self.tables.get("extensionsRequired", []))
        if unknown := [name for name in needed if not name.startswith(_HARMLESS)]:
            problem = f"it needs unsupported extensions: {', '.join(unknown)}"
            raise InputError(problem, expected="a GLB without compression, of plain triangles")
        for buffer in self.tables.get("buffers", []):
            if "uri" in buffer:
                problem = "a buffer outside of the file, which is not supported"
                uri, expected = str(buffer["uri"]), "a GLB with everything in it"
                raise InputError(problem, value=uri, expected=expected)

    def pieces(self) -> Iterator[Piece]:
        """All triangles of the scene."""
        parts = triangles = 0
        for mesh, place in self._placed_meshes():
            parts += 1 + len(mesh["primitives"])
            if parts > MOST_PARTS:
                raise InputError(f"more than {MOST_PARTS:,} parts", expected="a smaller scene")
            for primitive in mesh["primitives"]:
                mode = primitive.get("mode", _TRIANGLES)
                if mode not in (_TRIANGLES, _STRIP, _FAN):
                    continue  # points and lines have no surface
                corners = self._corners(primitive)
                triangles += len(corners) // 3 if mode == _TRIANGLES else len(corners)
                refuse_more(triangles)
                yield self._piece(primitive, _cut(corners, mode), place)

    def _placed_meshes(self) -> Iterator[tuple[PlainMapping, Array]]:
        """Yield the meshes of all nodes of the scene, each with its placement matrix (4, 4)."""
        nodes = self._list("nodes")
        if self._list("scenes"):
            waiting = self._item("scenes", self.tables.get("scene", 0)).get("nodes", [])
        else:
            children = {k for node in nodes for k in node.get("children", [])}
            waiting = [k for k, _ in enumerate(nodes) if k not in children]
        if len(nodes) > MOST_PARTS:
            raise InputError(f"more than {MOST_PARTS:,} nodes", expected="a smaller scene")
        places, seen = [(number, np.eye(4)) for number in waiting], set()
        while places:
            number, around = places.pop()
            node = self._item("nodes", number)
            if number in seen:
                raise InputError(f"node {number} is at two places of the scene")
            seen.add(number)
            place = around @ _matrix(node)
            if "mesh" in node:
                yield self._item("meshes", node["mesh"]), place
            places += [(child, place) for child in node.get("children", [])]

    def _corners(self, primitive: PlainMapping) -> AnyArray:
        """Indices of the vertices in the order of the triangles."""
        if "indices" in primitive:
            return self._numbers(primitive["indices"], "SCALAR").ravel()
        return np.arange(len(self._numbers(primitive["attributes"]["POSITION"], "VEC3")))

    def _piece(self, primitive: PlainMapping, triangles: AnyArray, place: Array) -> Piece:
        """Triangles of a primitive, with only the vertices that they use."""
        points = self._numbers(primitive["attributes"]["POSITION"], "VEC3")
        if np.linalg.det(place[:3, :3]) < 0.0:
            triangles = triangles[:, ::-1]
        if (most := int(triangles.max(initial=0))) >= len(points):
            raise InputError("a triangle with a vertex that is not there", value=most)
        vertices = points[triangles.ravel()].astype(float)
        placed = (vertices @ place[:3, :3].T + place[:3, 3]) @ _UPWARDS.T
        return Piece(placed, np.arange(len(placed)).reshape(-1, 3), self._colour(primitive))

    def _colour(self, primitive: PlainMapping) -> Colour | None:
        if "material" not in primitive:
            return None
        material = self._item("materials", primitive["material"])
        factor = material.get("pbrMetallicRoughness", {}).get("baseColorFactor", [1, 1, 1, 1])
        red, green, blue = (_on_screen(float(x)) for x in factor[:3])
        return red, green, blue

    def _numbers(self, accessor: int, kind: str) -> AnyArray:
        """Rows of numbers of an accessor."""
        table = self._item("accessors", accessor)
        if "sparse" in table or "bufferView" not in table:
            raise InputError("a sparse accessor, which is not supported", expected="plain ones")
        if table["type"] != kind:
            raise InputError(f"an accessor of {table['type']}", expected=kind)
        view = self._item("bufferViews", table["bufferView"])
        number, columns = np.dtype(_NUMBERS[table["componentType"]]), _SIZES[kind]
        offset = _count(view.get("byteOffset", 0)) + _count(table.get("byteOffset", 0))
        row = number.itemsize * columns
        stride = _count(view.get("byteStride", 0)) or row
        if stride < row:
            raise InputError("rows that overlap", value=stride, expected=f"a byteStride from {row}")
        rows = _count(table["count"])
        end = offset + (rows - 1) * stride + row
        if rows and end > len(self.binary):
            problem = f"cut short: numbers up to byte {end:,} of {len(self.binary):,}"
            raise InputError(problem, expected="the whole file")
        shape, strides = (rows, columns), (stride, number.itemsize)
        return np.ndarray(shape, number, self.binary, offset if rows else 0, strides)

    def _list(self, kind: str) -> list[Any]:
        return self.tables.get(kind) or []

    def _item(self, kind: str, number: object) -> PlainMapping:
        items = self._list(kind)
        if not isinstance(number, int) or not 0 <= number < len(items):
            problem = f"it names one of its {kind} that is not there"
            raise InputError(problem, value=number, expected=f"0 to {len(items) - 1}")
        found: PlainMapping = items[number]
        return found


def _matrix(node: PlainMapping) -> Array:
    """Placement of a node in its parent."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=float).reshape(4, 4).T
    x, y, z, w = map(float, node.get("rotation", [0, 0, 0, 1]))
    place = np.eye(4)
    place[:3, :3] = rotation_matrix(np.array([w, x, y, z])) * np.array(
        node.get("scale", [1, 1, 1]), dtype=float
    )
    place[:3, 3] = node.get("translation", [0, 0, 0])
    return place


def _cut(corners: AnyArray, mode: int) -> AnyArray:
    """(m, 3) triangles, of a list of them, of a strip or of a fan."""
    if mode == _TRIANGLES:
        if len(corners) % 3:
            raise InputError(f"{len(corners)} corners of triangles", expected="three of each")
        return corners.reshape(-1, 3)
    second, third = corners[1:-1], corners[2:]
    if mode == _FAN:
        return np.stack([np.broadcast_to(corners[:1], second.shape), second, third], axis=1)
    triangles = np.stack([corners[:-2], second, third], axis=1)
    triangles[1::2] = triangles[1::2, [1, 0, 2]]
    return triangles


def _count(number: object) -> int:
    if not isinstance(number, int) or number < 0:
        raise InputError("a size or place that is none", value=number, expected="0, 1, 2, …")
    return number


def _on_screen(linear: float) -> int:
    """Convert a linear intensity from 0 to 1 to sRGB."""
    x = min(max(linear, 0.0), 1.0)
    return round(255 * (12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055))


MOST_BYTES = 64 * 2**20  # maximum size of a file: about a million triangles in binary
KINDS: Final = (".stl", ".obj", ".glb")
"""Suffixes of readable files, in lower case."""
MOST_OF_MATERIALS = 2**20
_WANTED = "an STL, OBJ or GLB file"
_HEAD = 80
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_LONGEST = 200  # maximum number of characters of a vertex
_SHORTEST = 80  # minimum number of characters of a facet
_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def read_surface(path: Path) -> Surface:
    """Return the triangles of a file, in its own unit. Raises InputError."""
    content = read_content(path, _WANTED, MOST_BYTES)
    with about_file(path):
        match path.suffix.lower():
            case ".stl":
                pieces = _stl_pieces(content)
            case ".obj":
                wanted = f"the materials that {path.name} names, or no line mtllib in it"
                pieces = obj_pieces(
                    content,
                    lambda name: read_content(within(path.parent, name), wanted, MOST_OF_MATERIALS),
                )
            case ".glb":
                pieces = glb_pieces(content)
            case other:
                raise InputError(f'unknown kind of file "{other}"', expected=_WANTED)
        return surface_of(pieces)


def _stl_pieces(content: bytes) -> list[Piece]:
    """Return the triangles of an STL file; normals follow from these, so the file's are ignored.

    A binary file may begin with the word of text files: its size identifies it.
    """
    count = int.from_bytes(content[_HEAD : _HEAD + 4], "little")
    size = _HEAD + 4 + count * _RECORD.itemsize
    if len(content) == size:
        return [_of_corners(np.frombuffer(content, _RECORD, offset=_HEAD + 4)["corners"])]
    if content.lstrip().lower().startswith(b"solid"):
        return [_of_corners(_text_corners(content))]
    if len(content) < _HEAD + 4:
        raise InputError(f"{len(content)} bytes, which is no STL", expected="at least 84 bytes")
    raise InputError(
        f"{'cut short' if len(content) < size else 'too long'}: {len(content):,} bytes for "
        f"{count:,} triangles",
        expected=f"{size:,} bytes of a binary STL, or a text that begins with solid",
    )


def _text_corners(content: bytes) -> Array:
    """(m, 3, 3) corners of the triangles of a text."""
    closed = content.count(b"endfacet")
    count = content.count(b"vertex")
    if _SHORTEST * count > 3 * len(content):
        raise _cut_short(count, closed)
    try:
        numbers = np.fromiter(_coordinates(content), float)
    except ValueError as error:
        raise InputError(f"a vertex that is no number: {error}") from None
    if b"endsolid" not in content or len(numbers) != 9 * closed:
        raise _cut_short(len(numbers) // 3, closed)
    return numbers.reshape(-1, 3, 3)


def _coordinates(content: bytes) -> Iterator[float]:
    for vertex in _VERTEX.finditer(content):
        length = vertex.end() - vertex.start()
        if length > _LONGEST:
            raise ValueError(f"{length:,} characters")
        yield from map(float, vertex.groups())


def _cut_short(vertices: int, closed: int) -> InputError:
    return InputError(
        f"cut short: {vertices:,} vertices in {closed:,} whole triangles",
        expected="three vertices in each facet, and endsolid at the end",
    )


def _of_corners(corners: Array) -> Piece:
    vertices = corners.reshape(-1, 3).astype(float)
    return Piece(vertices, np.arange(len(vertices)).reshape(-1, 3))
