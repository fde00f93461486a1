"""Four machines with general masses, six states each, as two other programs compute them."""

import numpy as np
import pytest
from general_cases import NAMES, case, mechanism

from gough import Model
from gough.model.mechanism import analysed

TOLERANCE = 1e-9
STATES = [(name, number) for name in NAMES for number in range(len(case(name)["states"]))]


def state_of(name, number):
    return {
        key: np.array(value) if isinstance(value, list) else value
        for key, value in case(name)["states"][number].items()
    }


def assert_close(ours, theirs):
    theirs = np.asarray(theirs)
    assert np.abs(ours - theirs).max() <= TOLERANCE * np.abs(theirs).max()


@pytest.mark.parametrize(("name", "number"), STATES)
def test_efforts(name, number):
    k, s = Model(mechanism(name)), state_of(name, number)
    ours = k.inverse_dynamics(s["pose"], s["twist"], s["acceleration"], s["wrench"])
    assert_close(ours, s["effort"])


@pytest.mark.parametrize(("name", "number"), STATES)
def test_accelerations_under_other_efforts(name, number):
    k, s = Model(mechanism(name)), state_of(name, number)
    effort = np.array(s["forward"]["effort"])
    ours = k.forward_dynamics(s["pose"], s["twist"], effort, s["wrench"])
    assert_close(ours, s["forward"]["acceleration"])


@pytest.mark.parametrize(("name", "number"), STATES)
def test_moves_and_jacobian(name, number):
    k, s = Model(mechanism(name)), state_of(name, number)
    assert_close(k.twist_basis(s["pose"]), s["T"])
    assert_close(k.jacobian(s["pose"]) @ s["T"], s["J"])


@pytest.mark.parametrize(("name", "number"), STATES)
def test_mass_matrix_bias_and_energy(name, number):
    k, s = Model(mechanism(name)), state_of(name, number)
    assert_close(k.mass_matrix(s["pose"]), s["M"])
    assert_close(k.bias(s["pose"], s["twist"]), s["c"])
    assert_close(k.energy(s["pose"], s["twist"]), s["energy"])


@pytest.mark.parametrize(("name", "number"), STATES)
def test_positions_rates_and_accelerations_of_all_joints(name, number):
    k, s = Model(mechanism(name)), state_of(name, number)
    ours = k.all_joints(s["pose"], s["twist"], s["acceleration"])
    theirs = [_listed(k.structure.joints, s["joints"], quantity) for quantity in "qva"]
    for mine, reference in zip(ours, theirs, strict=True):
        assert_close(mine, reference)


def _listed(names, joints, quantity):
    """Values of joints by our names: a universal joint's two are name.1 and name.2."""
    values = []
    for name in names:
        joint, _, part = name.partition(".")
        value = joints[joint][quantity]
        values.append(value[int(part) - 1] if part else value)
    return values


@pytest.mark.parametrize("name", NAMES)
def test_mobility_and_overconstraint(name):
    facts, found = case(name)["facts"], analysed(mechanism(name)).structure
    assert found.mobility == facts["mobility"]
    assert found.overconstrained == facts["overconstrained"]
