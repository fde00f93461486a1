"""Machines of other tools with mistakes in them are imported, or refused in a few words."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

import gough
from fuzz.share import Tally, cases, outcome
from fuzz.texts import damaged
from gough.disk.sources import stamped
from gough.exchange import imported, machine_export

FILES = Path(__file__).parents[1] / "data" / "imports"
LONGEST = 5.0
"""Seconds: MuJoCo may take so long for a file that others refuse at once."""


def _contents(*names):
    return [(FILES / name).read_bytes() for name in names]


def _own(robot, kind):
    """The texts of a robot as Gough wrote them, the machine first."""
    texts = machine_export(gough.load(robot), kind).texts
    return [text.encode() for name, text in texts.items() if not name.endswith(".obj")]


def _import(place, file, loops, platform, tally):
    robot, _ = outcome(place, imported, file, loops=loops, platform=platform, longest=LONGEST)
    tally.add("refused" if robot is None else "imported")


def test_an_mjcf_file_with_mistakes_is_imported_or_refused(tmp_path, record_property):
    tally = Tally("MJCF files")
    originals = {"five_bar.xml": "gripper", "delta.xml": None, "stewart.xml": None}
    (tmp_path / "stewart_defaults.xml").write_bytes(_contents("stewart_defaults.xml")[0])
    for seed, rng in cases(12, seed=8_000_000):
        name = rng.choice([*originals])
        (tmp_path / "a.xml").write_bytes(damaged(_contents(name), rng))
        _import(f"MJCF {seed}", tmp_path / "a.xml", None, originals[name], tally)
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.2 * tally.counts.total()


def test_a_urdf_file_with_mistakes_is_imported_or_refused(tmp_path, record_property):
    tally = Tally("URDF files and loops")
    originals = {"linkage": "effector", "picker": None}
    file, loops = tmp_path / "a.urdf", tmp_path / "a.yaml"
    for seed, rng in cases(60, seed=9_000_000):
        name = rng.choice([*originals])
        machine, beside = _contents(f"{name}.urdf", f"{name}.yaml")
        which = rng.random()
        file.write_bytes(damaged([machine], rng) if which < 0.7 else machine)
        loops.write_bytes(damaged([beside], rng) if which > 0.5 else beside)
        _import(f"URDF {seed}", file, loops, originals[name], tally)
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
        _import(f"own {seed}", file, loops if as_urdf else None, None, tally)
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.2 * tally.counts.total()


def _forged(content):
    return stamped(re.sub("\r\n?", "\n", content.decode(errors="replace")))


@pytest.mark.parametrize("to", ["mjcf", "urdf", "sdf", "ros2"])
def test_names_of_a_robot_break_no_file_of_another_tool(tmp_path, to, record_property):
    tally = Tally(f"odd names in {to}")
    for seed, rng in cases(25, seed=11_000_000):
        data = gough.load("five-bar").to_dict() | {"name": _drawn(rng, 200)}
        data["joints"][0]["name"] = _drawn(rng, 12)
        robot, _ = outcome(f"names {seed}", gough.Robot.from_dict, data)
        export, _ = (
            (None, None) if robot is None else outcome(f"{to} {seed}", machine_export, robot, to)
        )
        tally.add("refused" if export is None else "written")
        if export is None:
            continue
        for file, text in export.texts.items():
            if text.startswith("<?xml"):
                ElementTree.fromstring(text)
            elif file.endswith(".yaml"):
                yaml.safe_load(text)
        if to == "ros2":
            continue
        files = [tmp_path / f"a{Path(file).suffix}" for file in export.texts]
        for file, text in zip(files, export.texts.values(), strict=True):
            file.write_text(stamped(text), encoding="utf-8")
        again = imported(files[0], loops=files[1] if to == "urdf" else None).robot
        assert again == robot, f"names {seed}"
    record_property("fuzz", str(tally))
    assert 0.2 < tally.counts["written"] / tally.counts.total() < 1.0


def _drawn(rng, longest):
    """A name of odd characters, some of which no name may have."""
    odd = rng.choice((_PRINTABLE, _PRINTABLE, _PRINTABLE + _UNPRINTABLE))
    return "".join(rng.choice(odd) for _ in range(rng.choice((1, 3, longest))))[:longest]


_PRINTABLE = [
    *"aZ0é漢🙂 .,:;-_#%&<>'\"\\/|*?!$@`~^(){}[]=+",
    *("-->", "*/", "*)", "]]>", "${", "{{", ": ", " #", "--", "null", "1e3", "&#10;"),
]
_UNPRINTABLE = ["\n", "\t", "\x00", "\x1b[31m", "\u2028", "\xa0"]
