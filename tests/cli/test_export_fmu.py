"""`gough export plant` and `gough export controller`: FMUs and options."""

import json
from importlib.resources import files

import numpy as np
import pytest
from fmpy import read_model_description
from fmus import Opened

from gough import load
from gough.simulation import force_commanded, real_plant, rigid_plant


def test_a_controller_is_made_as_it_is_asked_for(gough, tmp_path):
    words = ("--controller", "feed-forward", "--period", "0.002", "--fmi", "2", "-o", tmp_path)
    told = gough("export controller", "delta", "--to", "fmu", *words)
    path = tmp_path / "delta_controller.fmu"
    assert told.out.split() == ["wrote", str(path)]
    described = read_model_description(str(path))
    assert described.fmiVersion == "2.0"
    assert described.description == "feed-forward of delta, every 0.002 s"
    assert described.defaultExperiment.stepSize == "0.002"


def test_a_loop_that_is_not_stable_is_told(gough, tmp_path):
    fast = ("--frequency", 200, "--controller", "computed-torque")
    words = "not stable: sampled every 0.001 s, the loop at home has a pole of"
    assert words in gough("export controller", "delta", *fast, "--output", tmp_path / "c").out
    slow = (*fast, "--period", 1e-4)
    assert (
        "not stable"
        not in gough("export controller", "delta", *slow, "--output", tmp_path / "c").out
    )
    fmu = ("export plant", "delta", *fast, "--output", tmp_path / "fmu", "--json")
    assert words in json.loads(gough(*fmu).out)["remarks"][0]


def test_a_plant_on_drives_is_told_forces_under_a_controller(gough, tmp_path):
    words = ("export plant", "delta", "--controller", "joint-pid", "--drives", "-o", tmp_path)
    assert gough(*words).code == 0
    (path,) = tmp_path.iterdir()
    variables = {v.name: v for v in read_model_description(str(path)).modelVariables}
    assert len([name for name in variables if name.startswith("der(")]) == 16
    assert variables["command[2]"].unit == "N m"
    assert variables["platform.mass"].variability == "tunable"


@pytest.mark.parametrize("drives", [[], ["--drives"]])
def test_a_controller_alone_has_the_limits_of_its_drives(gough, tmp_path, drives):
    """As in C: what the weaker of force and current allows."""
    strong = files("gough.robot").joinpath("library/demo-hexapod.toml").read_text()
    (tmp_path / "weak.toml").write_text(strong.replace("max_current = 15", "max_current = 1.5"))
    words = ("export controller", tmp_path / "weak.toml", "--to", "fmu", *drives, "-o", tmp_path)
    assert gough(*words).code == 0
    robot = load(tmp_path / "weak.toml")
    plant = force_commanded(real_plant(robot)) if drives else rigid_plant(robot)
    law = Opened(tmp_path / "demo_hexapod_controller.fmu").begin(**{"reference.pose.z": 10.0})
    law.step(0.0, 1e-3)
    np.testing.assert_allclose(law.get(law.starting("command")), plant.limit, rtol=1e-12)
    law.close()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["plant", "delta", "--period", "0.1"],
            "'--period': for a closed loop; expected --control",
        ),
        (["plant", "delta", "--integral-rate", "0"], "'--integral-rate': for a closed loop"),
        (["controller", "delta", "--stops"], "no such option: --stops"),
        (["controller", "delta", "--controller", "pid"], "'pid' is not known; expected one of"),
        (["controller", "delta", "--to", "c", "--fmi", "2"], "'--fmi': not for --to c; for fmu"),
        (
            ["controller", "delta", "--to", "fmu", "--float32"],
            "'--float32': not for --to fmu; for c",
        ),
        (["controller", "delta", "--to", "js"], "'js' is not one of 'c', 'st', 'plcopen', 'fmu'"),
        (["controller", "delta", "--period", "1 m"], '"1 m" is a length; expected a time'),
    ],
)
def test_options_that_do_not_fit_are_refused(gough, words, complaint):
    assert complaint in gough("export", *words).complaint(2)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--fmi", "0"], "FMI 0 is not known; expected 2 or 3"),
        (["--platforms", ""], "platform '' is not known; expected x86_64-linux"),
        (["--platforms", "x86_64-linux, amiga"], "platform 'amiga' is not known"),
    ],
)
def test_nothing_is_no_value(gough, words, complaint):
    assert complaint in gough("export plant", "delta", *words).complaint(1)
