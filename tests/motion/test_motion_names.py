"""The public names of the motion room."""

import pytest

import gough.motion


@pytest.mark.parametrize("name", gough.motion.__all__)
def test_every_public_name_is_there_and_documented(name):
    assert getattr(gough.motion, name).__doc__


def test_the_names_are_sorted_and_not_listed_twice():
    assert sorted(set(gough.motion.__all__)) == sorted(gough.motion.__all__)
