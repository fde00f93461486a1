"""Odd arguments of a model's methods, and requests that cannot be met: words, and soon."""

from contextlib import suppress

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.exchange import joint_states

DELTA, HEXAPOD = (gough.Model(gough.load(name)) for name in ("delta", "demo-hexapod"))
ODD = ["abc", None, [1e300] * 3, [[1, 2], [3]], {}, object(), [1, 2], [np.nan] * 7, 1j, [True] * 7]
METHODS = [
    "possible_pose", "gap", "travel", "assembly_modes", "branches", "workspace_box",
    "checked_inverse_dynamics", "minimum_norm_reactions", "inverse_kinematics", "function",
    "matching_parameters", "made",
]  # fmt: skip


@pytest.mark.parametrize("model", [DELTA, HEXAPOD], ids=["delta", "hexapod"])
@pytest.mark.parametrize("name", METHODS)
def test_odd_arguments_give_an_answer_or_words(model, name):
    for given in ODD:
        with suppress(GoughError):
            getattr(model, name)(given)


def test_the_explicit_form_of_velocities_without_coordinates_is_refused_in_words():
    with pytest.raises(GoughError, match="velocities z rx ry of tricept"):
        gough.explicit_form(gough.load("tricept"))


def test_a_box_of_all_turns_is_judged():
    found = HEXAPOD.workspace_box((0, 0, 0), (np.pi, np.pi, np.pi))
    assert not found.reached


def many(count):
    """A view that takes no memory itself."""
    return np.broadcast_to(np.array(HEXAPOD.robot.home), (count, 7))


@pytest.mark.parametrize(
    "ask",
    [
        lambda: gough.tolerances(HEXAPOD.robot, many(10**8), {"legs[*].base": "50 um"}),
        lambda: joint_states(HEXAPOD.robot, many(10**9)),
    ],
    ids=["tolerances", "joint states"],
)
def test_more_poses_than_memory_holds_are_refused_before_they_are_looked_at(ask):
    with pytest.raises(GoughError, match=r"poses need about .* GB of memory"):
        ask()


def test_a_motion_of_too_many_harmonics_is_refused():
    with pytest.raises(
        GoughError, match="harmonics is 20000; expected a whole number, 2 or more, at most 100"
    ):
        gough.excitation(HEXAPOD.robot, harmonics=20_000)
