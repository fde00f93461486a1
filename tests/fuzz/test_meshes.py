"""Files of triangles with mistakes in them are read, or refused in a few words."""

import numpy as np
import pytest
from mesh_files import binary_stl, glb, obj, text_stl

from fuzz.share import Tally, cases, outcome
from fuzz.texts import damaged
from gough.meshes import read_surface

FILES = {
    "a.stl": [binary_stl(), text_stl()],
    "a.obj": [obj(), obj(back=True), obj(materials="paint.mtl")],
    "a.glb": [glb(), glb(node={"rotation": [0, 1, 0, 0], "scale": [2, 3, -1]})],
}


@pytest.mark.parametrize("name", FILES)
def test_a_mesh_with_mistakes_is_read_or_refused_in_a_few_words(tmp_path, name, record_property):
    tally = Tally(f"meshes in {name[1:]}")
    (tmp_path / "paint.mtl").write_bytes(b"newmtl odd\nKd 1 0.5 0\n")
    for seed, rng in cases(150, seed=7_000_000):
        (tmp_path / name).write_bytes(damaged(FILES[name], rng))
        with np.errstate(over="raise", invalid="raise"):
            surface, _ = outcome(f"{name} {seed}", read_surface, tmp_path / name)
        tally.add("refused" if surface is None else "read")
        if surface is not None:
            assert all(np.isfinite(piece.vertices).all() for piece in surface.pieces)
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.2 * tally.counts.total()
