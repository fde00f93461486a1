"""Folders of results, damaged in every way: the same results, or a file named as damaged."""

import shutil

import numpy as np

from fuzz.share import Tally, cases, outcome
from gough.runs import load_folder, to_folder
from gough.studies.study import Study

DATA = {
    "schema": "gough-study/1",
    "name": "test",
    "robot": "demo-hexapod",
    "motion": {"kind": "line", "displacement": [0.05, 0.02, 0.03], "duration": 1},
    "samples": 21,
}


def _flipped(path, other, rng):
    content = bytearray(path.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def _cut(path, other, rng):
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content))])


def _lengthened(path, other, rng):
    path.write_bytes(path.read_bytes() + rng.randbytes(rng.randrange(1, 100)))


def _exchanged(path, other, rng):
    shutil.copy(other / path.name, path)


def _gone(path, other, rng):
    path.unlink()


def _a_folder(path, other, rng):
    path.unlink()
    path.mkdir()


DAMAGE = (_flipped, _cut, _lengthened, _exchanged, _gone, _a_folder)


def test_damaged_results_are_noticed_or_of_no_consequence(tmp_path, record_property):
    tally = Tally("damaged folders of results")
    good, other, copy = (tmp_path / name for name in ("good", "other", "copy"))
    expected = to_folder(Study.from_dict(DATA), good, report=False)
    to_folder(Study.from_dict({**DATA, "samples": 22}), other, report=False)
    for seed, rng in cases(120, seed=5_000_000):
        shutil.copytree(good, copy)
        damage = rng.choice(DAMAGE)
        damage(rng.choice(sorted(copy.iterdir())), other, rng)
        found, _ = outcome(f"results {seed}: {damage.__name__}", load_folder, copy)
        if found is not None:
            assert found.summary == expected.summary, f"results {seed}: {damage.__name__}"
            np.testing.assert_array_equal(found["force"], expected["force"])
        tally.add("noticed" if found is None else "of no consequence")
        shutil.rmtree(copy)
    record_property("fuzz", str(tally))
    assert tally.counts["noticed"] > tally.counts.total() / 2
