"""Studies whose forces are found by a derivation of choice."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError, InputError

STUDY = {
    "schema": "gough-study/1",
    "name": "quick lift",
    "robot": "bingul-2012",
    "motion": {"kind": "line", "displacement": [0.02, 0, 0.03], "duration": 0.2},
    "samples": 11,
    "outputs": {"quantities": ["motion", "forces"]},
}


def forces(**changes):
    return gough.run({**STUDY, **changes})


@pytest.mark.parametrize("name", ["lagrange", "kane"])
def test_exact_derivations_find_the_same_forces(name):
    usual, other = forces(), forces(formulation=name)
    assert other["force"] == pytest.approx(usual["force"], rel=1e-9, abs=1e-9)
    assert other.study["formulation"] == name
    assert other.warnings == usual.warnings


def test_an_approximation_finds_what_its_model_does_and_says_so():
    found = forces(formulation="point-mass-legs")
    model = gough.Model(found.robot, formulation="point-mass-legs")
    state = [found[name] for name in ("pose", "twist", "acceleration", "wrench")]
    assert found["force"] == pytest.approx(model.inverse_dynamics(*state))
    assert np.abs(found["force"] - forces()["force"]).max() > 1e-3
    assert any("point-mass-legs approximates: each leg" in words for words in found.warnings)


def test_formulations_can_be_varied():
    names = ["newton-euler", "point-mass-legs"]
    found = forces(variations=[{"name": "by", "parameter": "formulation", "values": names}])
    exact, approximate = found["peak_force"]
    assert exact == pytest.approx(forces().summary["peak_force"].value)
    assert approximate != pytest.approx(exact, rel=1e-6)


def test_a_formulation_that_a_machine_has_not_is_refused():
    with pytest.raises(InputError) as caught:
        forces(formulation="newton")
    assert caught.value.key == "formulation"
    delta = {**STUDY, "robot": "delta", "formulation": "kane"}
    with pytest.raises(InputError) as caught:
        gough.Study.from_dict(delta)
    assert str(caught.value) == ("formulation: delta has no formulation 'kane'; expected recursive")


def test_a_study_made_in_python_is_refused_as_well():
    made = gough.Study.from_dict(STUDY)
    with pytest.raises(GoughError, match=r"unknown formulation 'newton'"):
        gough.run(gough.Study(made.robot, made.motion, formulation="newton", samples=3))


def test_a_simulation_has_no_formulation():
    controller = {"kind": "open-loop"}
    with pytest.raises(InputError) as caught:
        gough.Study.from_dict({**STUDY, "controller": controller, "formulation": "kane"})
    assert caught.value.key == "formulation"
