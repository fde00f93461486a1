"""Files of triangles: every format says the same of a cube, and bad files say what is wrong."""

import struct
from contextlib import suppress

import numpy as np
import pytest
from mesh_files import CORNERS, TRIANGLES, binary_stl, glb, obj, text_stl

from gough.errors import InputError
from gough.meshes import read_surface
from gough.meshes.surface import Piece, surface_of


def read(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return read_surface(path)


def volume(surface):
    """By the divergence theorem: positive if all triangles are in order seen from outside."""
    corners = [piece.vertices[piece.triangles] for piece in surface.pieces]
    return sum(np.linalg.det(c).sum() / 6 for c in corners)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cube.stl", binary_stl()),
        ("cube.STL", binary_stl(head=b"solid, and binary all the same")),
        ("text.stl", text_stl()),
        ("text.stl", text_stl().replace(b"\n", b"\r\n").replace(b"solid", b" solid", 1)),
        ("cube.obj", obj()),
        ("back.obj", obj(back=True)),
        ("cube.glb", glb()),
    ],
)
def test_every_format_has_the_same_cube(tmp_path, name, content):
    surface = read(tmp_path, name, content)
    (piece,) = surface.pieces
    assert surface.triangles == len(TRIANGLES)
    assert sorted(map(tuple, piece.vertices)) == sorted(map(tuple, CORNERS))
    np.testing.assert_array_equal(surface.corners, [[0, 0, 0], [1, 1, 1]])
    assert volume(surface) == pytest.approx(1.0, rel=1e-12)


def test_a_mesh_has_the_colours_of_its_materials(tmp_path):
    (tmp_path / "paint.mtl").write_text("newmtl odd\nKd 1 0.5 0\nnewmtl even\nNs 3\n")
    surface = read(tmp_path, "cube.obj", obj(materials="paint.mtl"))
    assert {piece.colour for piece in surface.pieces} == {(255, 128, 0), None}
    assert volume(surface) == pytest.approx(1.0)
    (green,) = read(tmp_path, "cube.glb", glb()).pieces
    assert green.colour == (0, 188, 0)  # half of the light is 188 of 255 in sRGB


def test_nodes_of_a_scene_put_their_meshes_where_they_say(tmp_path):
    turn = {"rotation": [0, np.sqrt(0.5), 0, np.sqrt(0.5)], "translation": [5, 7, 0]}  # about y, up
    surface = read(tmp_path, "turned.glb", glb(node={**turn, "scale": [2, 3, -1]}))
    assert volume(surface) == pytest.approx(6.0)  # also of a mirror image
    # (x, y up, z) = (u, w, -v) -> scaled (2u, 3w, v) -> turned (v, 3w, -2u) -> z up (v, 2u, 3w)
    expected = CORNERS @ np.array([[0, 2, 0], [1, 0, 0], [0, 0, 3]]) + [5, 0, 7]
    (piece,) = surface.pieces
    found = sorted(map(tuple, np.round(piece.vertices, 6)))
    assert found == sorted(map(tuple, expected))


@pytest.mark.parametrize("mode", [5, 6])
def test_strips_and_fans_are_triangles(tmp_path, mode):
    square = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
    corners = [[0, 1, 2, 3]] if mode == 5 else [[0, 1, 3, 2]]
    primitive = {"attributes": {"POSITION": 0}, "indices": 1, "mode": mode}
    changes = {"meshes": [{"primitives": [primitive]}]}
    content = glb(changes, corners=square, triangles=np.array(corners))
    content = content.replace(b'"count": 3,', b'"count": 4,')
    (piece,) = read(tmp_path, "square.glb", content).pieces
    areas = np.cross(*(piece.vertices[piece.triangles[:, k]] - piece.vertices[piece.triangles[:, 0]]
                       for k in (1, 2)))  # fmt: skip
    np.testing.assert_allclose(areas, [[0, 0, 1], [0, 0, 1]])


def test_equal_vertices_are_one_and_empty_triangles_none():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [-0.0, 0, 0], [1 + 1e-12, 0, 0]])
    surface = surface_of([Piece(points, np.array([[0, 1, 2], [3, 4, 2], [0, 3, 1]]))])
    assert surface.triangles == 2
    assert len(surface.pieces[0].vertices) == 3


BAD = {
    "nothing.stl": (b"", "0 bytes, which is no STL"),
    "short.stl": (binary_stl()[:-7], "cut short: 677 bytes for 12 triangles; expected 684 bytes"),
    "long.stl": (binary_stl() + b"..", "too long: 686 bytes for 12 triangles"),
    "empty.stl": (binary_stl(triangles=TRIANGLES[:0]), "no triangles"),
    "half.stl": (text_stl()[:500], "cut short"),
    "words.stl": (text_stl().replace(b"1.000000e+00", b"one", 1), "a vertex that is no number"),
    "nan.stl": (binary_stl(CORNERS * np.nan), "triangle 1 has a corner that is no finite number"),
    "huge.stl": (text_stl(CORNERS * 1e300), "triangle 1 has a corner that is no finite number"),
    "flat.stl": (binary_stl(CORNERS * 0), "no triangles"),
    "beyond.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9", "not there, got 9; expected 1 to 3"),
    "before.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -4 1 2", "a vertex that is not there"),
    "line.obj": (b"v 0 0 0\nv 1 0 0\nf 1 2", "line 3: a face of 2 corners"),
    "letters.obj": (b"v a b c", "line 1: could not convert string to float"),
    "plane.obj": (b"v 0 0\nv 1 0\nv 0 1\nf 1 2 3", "a vertex without three numbers"),
    "points.obj": (b"v 0 0 0\np 1", "no triangles"),
    "curved.obj": (b"v 0 0 0\nsurf 0 1 0 1 1", "line 2: a curved surface (surf)"),
    "colours.obj": (obj(materials="lost.mtl"), "the materials that colours.obj names"),
    "text.glb": (b'{"asset": {"version": "2.0"}}', "it does not begin with glTF"),
    "short.glb": (glb()[:-20], "cut short"),
    "old.glb": (glb()[:4] + struct.pack("<I", 1) + glb()[8:], "glTF of version 1"),
    "draco.glb": (
        glb({"extensionsRequired": ["KHR_draco_mesh_compression", "KHR_materials_unlit"]}),
        "unsupported extensions: KHR_draco_mesh_compression; expected a GLB without compression",
    ),
    "outside.glb": (glb({"buffers": [{"uri": "cube.bin", "byteLength": 1}]}), "'cube.bin'"),
    "loop.glb": (glb(node={"children": [0]}), "node 0 is at two places"),
    "lost.glb": (glb({"scenes": [{"nodes": [7]}]}), "one of its nodes that is not there, got 7"),
    "no-json.glb": (glb().replace(b'{"asset"', b'["asset"'), "its JSON cannot be read"),
    "odd.glb": (glb({"meshes": [{"primitives": 5}]}), "not as glTF 2.0 says"),
    "sparse.glb": (glb({"accessors": [{"sparse": {}, "type": "VEC3"}] * 2}), "sparse"),
    "far.glb": (glb({"bufferViews": [{"byteOffset": 999}] * 2}), "cut short: numbers up to byte"),
    "negative.glb": (glb({"bufferViews": [{"byteOffset": -4}] * 2}), "got -4"),
    "bare.glb": (glb({"scenes": [{}]}), "no triangles"),
    "part.step": (b"ISO-10303-21;", 'unknown kind of file ".step"; expected an STL, OBJ or GLB'),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path, name):
    content, said = BAD[name]
    with pytest.raises(InputError) as caught:
        read(tmp_path, name, content)
    assert said in str(caught.value)
    assert name in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(InputError) as refused:
        read_surface(tmp_path / "none.stl")
    assert (refused.value.file, refused.value.problem) == (tmp_path / "none.stl", "no such file")
    with pytest.raises(InputError) as refused:
        read_surface(tmp_path)
    assert (refused.value.file, refused.value.problem) == (tmp_path, "a directory")


def test_no_piece_of_a_file_breaks_the_reader(tmp_path):
    rng = np.random.default_rng(0)
    for name, whole in (("cube.glb", glb()), ("cube.obj", obj()), ("cube.stl", text_stl())):
        for _ in range(150):
            damaged = bytearray(whole)
            for place in rng.integers(0, len(whole), 3):
                damaged[place] = rng.integers(0, 256)
            with suppress(InputError):
                read(tmp_path, name, bytes(damaged))
