"""Files of triangles, written by hand: a cube with corners at 0 and 1, in every format."""

import json
import struct

import numpy as np

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
"""Corners around each side, in positive order seen from outside."""
TRIANGLES = np.array([t for a, b, c, d in FACES for t in ((a, b, c), (a, c, d))])


def binary_stl(corners=CORNERS, triangles=TRIANGLES, head=b"made by hand"):
    records = [struct.pack("<12fH", 0, 0, 0, *corners[t].ravel(), 0) for t in triangles]
    return head.ljust(80) + struct.pack("<I", len(records)) + b"".join(records)


def text_stl(corners=CORNERS, triangles=TRIANGLES):
    lines = ["solid cube"]
    for triangle in corners[triangles]:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += [f"  vertex {x:e} {y:e} {z:e}" for x, y, z in triangle]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid cube", ""]).encode()


def obj(*, back=False, materials=""):
    """Squares; numbers of vertices count from the first one, or from the last one back."""
    lines = [f"mtllib {materials}"] if materials else []
    lines += [f"v {x} {y} {z}" for x, y, z in CORNERS]
    for k, face in enumerate(FACES):
        lines += [f"usemtl {'odd' if k % 2 else 'even'}"] if materials else []
        numbers = [n - 8 if back else n + 1 for n in face]
        lines.append("f " + " ".join(f"{n}/1/{k + 1}" for n in numbers) + "  # a side")
    return "\n".join(lines).encode()


def glb(changes=None, *, node=None, triangles=TRIANGLES, corners=CORNERS):
    """A scene of one node. What is given is z upwards, what is written y upwards."""
    points = (corners @ [[1, 0, 0], [0, 0, -1], [0, 1, 0]]).astype("<f4").tobytes()
    numbers = np.asarray(triangles).astype("<u2").tobytes()
    tables = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, **(node or {})}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0.0, 0.5, 0.0, 1.0]}}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(corners), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3 * len(triangles), "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(numbers)},
        ],
        "buffers": [{"byteLength": len(points) + len(numbers)}],
        **(changes or {}),
    }
    text, data = json.dumps(tables).encode(), points + numbers
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
