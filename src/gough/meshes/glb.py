"""GLB, the binary form of glTF 2.0: metres by its standard, y upwards, colours of materials.

Only static geometry is read: the triangles of the scene with their materials' base colours.
Textures, animations and skins are ignored.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import AnyArray, Array
from gough.disk.plain_data import PlainData, PlainMapping
from gough.errors import InputError
from gough.meshes.surface import Colour, Piece, refuse_more
from gough.poses.quaternions import rotation_matrix

MOST_PARTS = 20_000
"""Maximum number of nodes and primitives: a small file can show one mesh many times."""
MOST_TEXT = 2**22
"""Maximum number of bytes of JSON."""
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
        numbers = np.arange(len(placed)).reshape(-1, 3)
        return Piece(placed, numbers, self._colour(primitive))

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
