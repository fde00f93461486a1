"""Machines of other tools with mistakes in them are imported, or refused in a few words."""

import re
from pathlib import Path

import pytest

import gough
from fuzz.share import Tally, cases, outcome
from fuzz.texts import damaged
from gough.disk.sources import _stamped
from gough.exchange import imported, machine_export

FILES = Path(__file__).parents[1] / "data" / "imports"
LINKAGE = FILES / "linkage.yaml"
LONGEST = 5.0
"""Seconds: MuJoCo may take so long for a file that others refuse at once."""


def _contents(*names):
    return [(FILES / name).read_bytes() for name in names]


def _own(robot, kind):
    """The texts of a robot as Gough wrote them, the machine first."""
    texts = machine_export(gough.load(robot), kind).texts
    return [text.encode() for name, text in texts.items() if not name.endswith(".obj")]


def _platform(rng):
    return rng.choice((None, "effector", "gripper", "tcp", "nobody"))


def _import(tmp_path, place, file, loops, rng, tally):
    robot, _ = outcome(place, imported, file, loops=loops, platform=_platform(rng), longest=LONGEST)
    tally.add("refused" if robot is None else "imported")


def test_an_mjcf_file_with_mistakes_is_imported_or_refused(tmp_path, record_property):
    tally = Tally("MJCF files")
    originals = _contents("five_bar.xml", "delta.xml", "stewart.xml")
    (tmp_path / "stewart_defaults.xml").write_bytes(_contents("stewart_defaults.xml")[0])
    for seed, rng in cases(12, seed=8_000_000):
        (tmp_path / "a.xml").write_bytes(damaged(originals, rng))
        _import(tmp_path, f"MJCF {seed}", tmp_path / "a.xml", None, rng, tally)
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.2 * tally.counts.total()


def test_a_urdf_file_with_mistakes_is_imported_or_refused(tmp_path, record_property):
    tally = Tally("URDF files and loops")
    originals = {name: _contents(f"{name}.urdf", f"{name}.yaml") for name in ("linkage", "picker")}
    file, loops = tmp_path / "a.urdf", tmp_path / "a.yaml"
    for seed, rng in cases(60, seed=9_000_000):
        machine, beside = originals[rng.choice([*originals])]
        which = rng.random()
        file.write_bytes(damaged([machine], rng) if which < 0.7 else machine)
        loops.write_bytes(damaged([beside], rng) if which > 0.5 else beside)
        _import(tmp_path, f"URDF {seed}", file, loops, rng, tally)
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.2 * tally.counts.total()


def test_files_of_gough_with_mistakes_and_a_right_checksum_are_imported_or_refused(
    tmp_path, record_property
):
    tally = Tally("forged files of Gough")
    mjcf = [_own(robot, "mjcf")[0] for robot in ("five-bar", "demo-hexapod")]
    urdf = [_own(robot, "urdf") for robot in ("five-bar", "demo-hexapod")]
    file, loops = tmp_path / "a.xml", tmp_path / "a.yaml"
    for seed, rng in cases(40, seed=10_000_000):
        as_urdf = rng.random() < 0.8
        machine, beside = rng.choice(urdf) if as_urdf else (rng.choice(mjcf), b"")
        first = rng.random() < 0.5 or not as_urdf
        file.write_text(_forged(damaged([machine], rng) if first else machine))
        loops.write_text(_forged(beside if first else damaged([beside], rng)))
        _import(tmp_path, f"own {seed}", file, loops if as_urdf else None, rng, tally)
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.2 * tally.counts.total()


def _forged(content):
    return _stamped(re.sub("\r\n?", "\n", content.decode(errors="replace")))


@pytest.mark.parametrize("to", ["mjcf", "urdf", "sdf", "ros2"])
def test_names_of_a_robot_break_no_file_of_another_tool(tmp_path, to, record_property):
    tally = Tally(f"odd names in {to}")
    machine = gough.load("five-bar")
    for seed, rng in cases(25, seed=11_000_000):
        name = "".join(rng.choice(_LETTERS) for _ in range(rng.choice((1, 3, 12, 200))))
        joint = "".join(rng.choice(_LETTERS) for _ in range(rng.choice((1, 3, 12))))
        robot, _ = outcome(
            f"names {seed}", machine.replace, {"name": name, "joints[0].name": joint}
        )
        if robot is None:
            tally.add("refused")
            continue
        texts, _ = outcome(f"names {seed} in {to}", lambda: machine_export(robot, to).texts)
        tally.add("refused in export" if texts is None else "written")
        if texts is None or to not in ("mjcf", "urdf"):
            continue
        files = [tmp_path / f"a{Path(file).suffix}" for file in texts]
        for file, text in zip(files, texts.values(), strict=True):
            file.write_text(_stamped(text), encoding="utf-8")
        again = imported(files[0], loops=files[1] if to == "urdf" else None).robot
        assert again == robot, f"names {seed}"
    record_property("fuzz", str(tally))
    assert tally.counts["written"]


_LETTERS = [*"aZ0é漢🙂 .,:;-_#%&<>'\"\\/|*?!$@`~^(){}[]=+", "-->", "*/", "*)", "]]>", "${", "{{",
            ": ", " #", "--", "null", "1e3", "&#10;", "\n", "\t", "\x00", "\x1b[31m", "\u2028", "\xa0"]  # fmt: skip
