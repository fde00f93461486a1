"""Files of triangles that are small on disk and large in memory are refused, or cost little."""

import time
import tracemalloc

import numpy as np
import pytest
from mesh_files import CORNERS, TRIANGLES, glb, obj, text_stl

from gough.errors import InputError
from gough.meshes import read_surface

LONGEST = 3.0
"""Seconds of processor time."""
MOST = 150e6
"""Bytes of memory, beside what the test writes."""
MANY = np.zeros((100_000, 3))
TWO = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"


def scene(nodes, **changes):
    """One small triangle of many vertices, shown by many nodes."""
    tables = {"scenes": [{"nodes": [*range(nodes)]}], "nodes": [{"mesh": 0}] * nodes, **changes}
    corners = np.concatenate([CORNERS, MANY])
    return glb(tables, corners=corners, triangles=TRIANGLES[:1])


def overlapping():
    """A million rows of twelve bytes that begin at every byte."""
    content = glb(corners=MANY).replace(b'"count": 100000', b'"count":1000000')
    return content.replace(b'"byteLength": 1200000}', b'"byteStride":  1     }', 1)


def materials(count):
    return b"v 0 0 0\nv 1 0 0\nv 0 1 0\n" * 5_000 + b"".join(
        b"usemtl m%d\nf 1 2 3\n" % k for k in range(count)
    )


def outcome(folder, name, content):
    """A surface or a complaint, found quickly and in little memory."""
    path = folder / name
    path.write_bytes(content)
    tracemalloc.start()
    began = time.process_time()
    try:
        return read_surface(path)
    except InputError as error:
        return str(error)
    finally:
        took, (_, peak) = time.process_time() - began, tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert took < LONGEST
        assert peak < MOST


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("nodes.glb", scene(30_000), "more than 20,000 nodes"),
        ("parts.glb", scene(200, meshes=[{"primitives": [{"mode": 0}] * 200}]), "20,000 parts"),
        ("strides.glb", overlapping(), "rows that overlap, got 1; expected a byteStride from 12"),
        ("json.glb", glb({"extras": [[]] * 1_500_000}), "bytes of JSON; expected at most"),
        ("chunks.glb", b"glTF\2\0\0\0" + b"\x0c\x12\x7a\0" + b"\0\0\0\0JUNK" * 10**6, "JSON"),
        ("lines.obj", b"v 0\n" * 3_100_000, "3,100,000 lines; expected at most 3,000,000"),
        ("face.obj", TWO.encode() + b"f" + b" 1" * 100_000, "line 4: 200,001 characters"),
        ("materials.obj", materials(11_000), "more than 10,000 materials"),
        ("far.obj", b"mtllib /etc/passwd\n", "it names a file elsewhere, got '/etc/passwd'"),
        ("up.obj", b"mtllib a/../../b.mtl\n", "it names a file elsewhere"),
        ("often.obj", b"".join(b"mtllib %d.mtl\n" % k for k in range(30)), "than 20 lines mtllib"),
        ("word.stl", text_stl().replace(b"1.0", b"1" * 1_000_000, 1), "that is no number: 1,000,"),
        ("vertices.stl", b"solid" + b" vertex 0 0 0" * 500_000, "500,000 vertices in 0 whole"),
    ],
)  # fmt: skip
def test_what_swells_is_refused_before_it_does(tmp_path, name, content, words):
    for k in range(30):
        (tmp_path / f"{k}.mtl").write_bytes(b"newmtl a\n")
    assert words in outcome(tmp_path, name, content)


def test_vertices_that_no_triangle_has_cost_nothing_again_at_each_node(tmp_path):
    surface = outcome(tmp_path, "nodes.glb", scene(1_500))
    assert surface.triangles == 1_500


def test_vertices_cost_nothing_again_for_each_material(tmp_path):
    surface = outcome(tmp_path, "materials.obj", materials(1_000))
    assert surface.triangles == 1_000


def test_a_file_of_materials_is_read_once(tmp_path):
    (tmp_path / "paint.mtl").write_bytes(b"newmtl odd\nKd 1 0.5 0\n" * 10_000)
    content = b"mtllib paint.mtl\n" * 1_000 + obj(materials="paint.mtl")
    surface = outcome(tmp_path, "cube.obj", content)
    assert {piece.colour for piece in surface.pieces} == {(255, 128, 0), None}
