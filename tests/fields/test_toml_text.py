"""Plain data as TOML: it says what it was given, and looks as people write it."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from gough.fields.toml_text import WIDTH, toml_text

KEYS = st.text(min_size=1, max_size=8)
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(max_size=150),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_what_is_written_reads_the_same(data):
    assert tomllib.loads(toml_text(data)) == data


def test_numbers_that_belong_together_stand_in_one_line():
    text = toml_text({"gravity": [0.0, 0.0, -9.81], "leg": {"stop": {"stiffness": 2e6}}})
    assert text == "gravity = [0.0, 0.0, -9.81]\n\n[leg]\nstop = { stiffness = 2000000.0 }\n"


def test_a_matrix_too_wide_for_a_line_has_a_row_a_line():
    row = [0.0013104127779202967, 0.0016510741688050498, 0.025889587222079704]
    lines = toml_text({"inertia": [row] * 3}).splitlines()
    assert lines == ["inertia = [", *[f"    {row},"] * 3, "]"]


def test_long_texts_are_wrapped_and_lines_of_their_own_kept():
    notes = "It stands on six legs, which are long. " * 9 + '\nSays "so", with a \\ and \x7f.'
    text = toml_text({"notes": notes})
    assert max(map(len, text.splitlines())) <= WIDTH
    assert tomllib.loads(text) == {"notes": notes}


def test_what_is_not_known_is_left_out():
    assert toml_text({"a": None, "b": {"c": None, "d": 1}}) == "[b]\nd = 1\n"
