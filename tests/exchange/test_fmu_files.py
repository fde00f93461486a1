"""What is in an FMU: clean sources, units, the same bytes; and what is refused."""

import html.parser
import re
import subprocess
import tempfile
from ctypes import CDLL, c_char_p
from pathlib import Path
from zipfile import ZipFile

import pint
import pytest
from compiled_c import COMPILER, STRICT
from fmpy import read_model_description

import gough
from gough.errors import GoughError
from gough.exchange import export_fmu
from gough.exchange.fmu import binaries
from gough.simulation import joint_pid, real_plant, rigid_plant

DELTA, HEXAPOD = gough.load("delta"), gough.load("demo-hexapod")
LAW = {"controller": joint_pid(kp=100, kd=5), "robot": DELTA}


def exported(folder, *, controller=None, plant=None, **options):
    """A plant, with its controller if it has one, or a controller alone."""
    if plant is None:
        return export_fmu(controller, folder, **options)
    return export_fmu(plant, folder, controller=controller, **options)


def written(folder, fmi=3):
    """A small one: a controller."""
    return exported(folder, **LAW, fmi=fmi)


@pytest.mark.parametrize("fmi", [2, 3])
def test_the_documentation_lists_every_variable_with_its_unit(tmp_path, fmi):
    made = exported(tmp_path, **LAW, plant=rigid_plant(DELTA), fmi=fmi, platforms=[])
    with ZipFile(made) as archive:
        page = archive.read("documentation/index.html").decode()
        licence = archive.read("documentation/licenses/license.txt").decode()
    assert licence.endswith((Path(__file__).parents[2] / "LICENSE").read_text().strip() + "\n")
    assert "robot file states no licence" in licence
    html.parser.HTMLParser().feed(page)
    listed = re.findall(r"<td><code>(.*?)</code></td><td>(.*?)</td>", page)
    known = {v.name: v for v in read_model_description(made).modelVariables}
    shown = dict(listed)
    assert known.keys() - shown.keys() == {
        "time",
        *(name for name in known if name.startswith("der(")),
    }
    units = {name: "–" if known[name].unit == "1" else known[name].unit for name in shown}
    assert shown == units
    assert "samples every 0.001 s" in page
    assert "Runge" in page


@pytest.mark.parametrize("fmi", [2, 3])
def test_sources_are_clean_c99_and_several_can_be_linked_into_one(tmp_path, fmi):
    objects = []
    units = {
        "plant": {"plant": rigid_plant(DELTA)},
        "controller": LAW,
        "both": LAW | {"plant": rigid_plant(DELTA)},
    }
    for parts in ("plant", "controller", "both")[:fmi]:
        made = exported(tmp_path, **units[parts], fmi=fmi, platforms=[])
        with ZipFile(made) as archive:
            archive.extractall(tmp_path / parts)
        folder = tmp_path / parts / "sources"
        prefix = f"-DFMI{fmi}_FUNCTION_PREFIX={made.stem}_"
        sources = sorted(path.name for path in folder.glob("*.c"))
        flags = [flag for flag in STRICT if flag != "-O2"]
        subprocess.run([*COMPILER, *flags, "-fPIC", prefix, "-c", *sources], cwd=folder, check=True)
        objects += sorted(folder.glob("*.o"))
    command = [*COMPILER, "-shared", *objects, "-lm", "-o", tmp_path / "all.so"]
    subprocess.run(command, check=True)  # two things of one name would not link
    library = CDLL(str(tmp_path / "all.so"))
    version = getattr(library, f"delta_controller_fmi{fmi}GetVersion")
    version.restype = c_char_p
    assert version() == f"{fmi}.0".encode()


def test_units_are_those_of_the_si(tmp_path):
    """Against another library of units, in which a radian is a number."""
    made = export_fmu(real_plant(DELTA), tmp_path, platforms=[])
    description = read_model_description(str(made))
    units = {u.name: u.baseUnit for u in description.unitDefinitions}
    assert {v.unit or v.declaredType for v in description.modelVariables} <= units.keys()
    assert description.license is None  # the machine is its owner's
    registry = pint.UnitRegistry()
    assert {"m", "kg m^2", "N m s/rad", "V s/rad", "ohm", "H", "A/s"} <= units.keys()
    for name, base in units.items():
        found = registry.Quantity(1.0, "")
        for letter in ("kg", "m", "s", "A"):
            found = found * registry(letter) ** getattr(base, letter)
        expected = registry.parse_expression(name.replace("1", "1.0") if name == "1" else name)
        ratio = (registry.Quantity(1.0, expected.units) if name != "1" else 1.0) / found
        assert ratio.to_base_units().magnitude == pytest.approx(1.0)
        assert ratio.unitless or set(map(str, ratio.to_base_units().units._units)) <= {"radian"}


def test_the_same_export_has_the_same_bytes(tmp_path):
    first, again = written(tmp_path / "a"), written(tmp_path / "b")
    assert first.read_bytes() == again.read_bytes()
    assert written(tmp_path / "a") == first  # over its own


def test_a_file_that_gough_did_not_make_stays(tmp_path):
    path = tmp_path / "delta_controller.fmu"
    path.write_text("mine")
    with pytest.raises(GoughError, match="not made by Gough; move it away"):
        written(tmp_path)
    assert path.read_text() == "mine"
    path.unlink()
    made = written(tmp_path)
    with ZipFile(made, "a") as archive:
        archive.writestr("documentation/mine.txt", "mine")
    with pytest.raises(GoughError, match="changed since Gough made it"):
        written(tmp_path)


def version_of_tomorrow(content):
    """The zip file whose entry says that it takes version 24.2 to read it."""
    place = content.index(b"PK\x01\x02") + 6
    return content[:place] + bytes([242]) + content[place + 1 :]


def name_of_no_text(content):
    """The zip file whose entry says that its name is UTF-8, which it is not."""
    return content.replace("ä".encode(), b"\xff\xff")


@pytest.mark.parametrize("spoilt", [version_of_tomorrow, name_of_no_text])
def test_a_zip_file_that_cannot_be_read_stays(tmp_path, spoilt):
    path = tmp_path / "delta_controller.fmu"
    with ZipFile(path, "w") as archive:
        archive.writestr("ä.txt", "mine")
    mine = spoilt(path.read_bytes())
    path.write_bytes(mine)
    with pytest.raises(GoughError, match="not made by Gough; move it away"):
        written(tmp_path)
    assert path.read_bytes() == mine


def test_what_is_in_the_way_is_refused_before_anything_is_compiled(tmp_path, monkeypatch):
    (tmp_path / "delta_controller.fmu").write_text("mine")
    monkeypatch.setattr(binaries.subprocess, "run", lambda *_, **__: pytest.fail("compiled"))
    with pytest.raises(GoughError, match="not made by Gough; move it away"):
        written(tmp_path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, r"plant is None; expected a gough\.simulation\.Plant"),
        ({"controller": LAW["controller"]}, "a controller is exported alone; expected it and its"),
        ({"plant": rigid_plant(DELTA), "fmi": 1}, "FMI 1 is not known; expected 2 or 3"),
        ({"plant": rigid_plant(DELTA), "platforms": ["vax"]}, "platform 'vax' is not known"),
        ({"plant": real_plant(DELTA), "step": 0.1}, "step of 0.1 s is too large for RK4"),
        ({"plant": rigid_plant(DELTA), "step": -1.0}, "step is -1.0; expected"),
        ({"plant": rigid_plant(DELTA), "limit": 5.0}, "limit is for a controller alone; expected"),
        (LAW | {"limit": "5 N"}, "limit is '5 N'; expected a number above 0, or 3 of them"),
        (LAW | {"limit": [5.0, 5.0]}, r"limit is \[5.0, 5.0\]; expected a number above 0, or 3"),
        ({"plant": rigid_plant(DELTA), "fmi": 2.0}, "FMI 2.0 is not known; expected 2 or 3, a who"),
        ({"plant": rigid_plant(DELTA), "platforms": 3}, "platforms are 3; expected a list of name"),
        ({"plant": rigid_plant(DELTA), "platforms": "x86_64-linux"}, "expected a list of names"),
        (LAW | {"robot": "delta"}, r"robot is 'delta'; expected a gough\.robot\.Robot"),
        (LAW | {"plant": rigid_plant(HEXAPOD)}, "robot delta has 3 actuators; expected 6, as the"),
        (LAW | {"limit": -5.0}, "limit is -5.0; expected a number above 0"),
    ],
)
def test_what_cannot_be_exported_is_refused_in_words(tmp_path, options, words):
    with pytest.raises(GoughError, match=words):
        exported(tmp_path, **options)
    assert not list(tmp_path.iterdir())


def test_no_room_to_compile_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(GoughError, match="missing: cannot be written: No such file"):
        written(tmp_path)


@pytest.mark.posix
def test_what_a_compiler_says_is_shown_in_any_encoding(tmp_path, monkeypatch):
    (tmp_path / "cc").write_text("#!/bin/sh\nprintf 'a.c: \\374ber\\nb.c: no\\n' >&2; exit 1\n")
    (tmp_path / "cc").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GoughError) as error:
        written(tmp_path / "fmu")
    assert str(error.value).splitlines()[1:] == ["  a.c: \N{REPLACEMENT CHARACTER}ber", "  b.c: no"]


def test_legs_that_yield_are_refused(tmp_path):
    plant = real_plant(HEXAPOD, legs="simple", drives=False)
    with pytest.raises(GoughError, match="compliant; expected one plant of rigid legs"):
        export_fmu(plant, tmp_path)
