"""Every example of docs/reference/motions.md runs."""

import re
import tomllib
import warnings
from pathlib import Path

import pytest

import gough
from gough.motion import MotionWarning, motion_from_dict

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "motions.md").read_text(encoding="utf-8")


def test_the_examples_in_python_run_one_after_the_other():
    names = {}
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.S):
        exec(block, names)
    assert names["pose"].shape == (1001, 7)
    assert names["found"].limit == "speed"


@pytest.mark.parametrize("block", re.findall(r"```toml\n(.*?)```", TEXT, re.S))
def test_the_examples_in_toml_are_motions(block):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        motion = motion_from_dict(tomllib.loads(block)["motion"], gough.load("kalani-2016"))
    assert motion.duration > 0
