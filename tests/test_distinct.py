"""Names that are made distinct stay as they are where they can."""

from gough.distinct import distinct


def test_of_names_that_are_alike_the_later_get_a_number():
    assert distinct(["a", "b", "a", "a_2", "a"]) == ["a", "b", "a_2", "a_2_2", "a_3"]
    assert distinct(["x", "y"], taken=["x", "x_2"]) == ["x_3", "y"]


def test_long_names_are_cut_and_stay_distinct():
    assert distinct(["abcd", "abce", "abcf"], longest=3) == ["abc", "a_2", "a_3"]
