"""Odd arguments of public functions: a GoughError or a result, and no other error from inside."""

import inspect
import warnings

import numpy as np
import pytest

import gough

ODD = (None, "abc", [], float("nan"), 1e300, np.zeros(2))
ROBOT = gough.load("demo-hexapod")
GOOD = {
    "robot": ROBOT,
    "model": ROBOT,
    "source": "demo-hexapod",
    "name": "demo-hexapod",
    "position": [0.0, 0.0, 1.0],
    "rotation": np.eye(3),
    "pose": np.array(ROBOT.home),
    "sequence": "xyz",
    "tolerances": {"platform.mass": 0.01},
    "path": "none.toml",
}
"""What arguments with these names are when another one is odd."""
FUNCTIONS = sorted(
    name
    for name in gough.__all__
    if inspect.isfunction(getattr(gough, name)) and name not in ("view",)
)
"""Without the one that serves a page until it is ended."""


def positional(function):
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p for p in inspect.signature(function).parameters.values() if p.kind in kinds]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_odd_argument_is_refused_in_words_or_answered(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function = getattr(gough, name)
    parameters = positional(function)
    defects = []
    for place in range(len(parameters)):
        for odd in ODD:
            given = [GOOD.get(p.name) for p in parameters[:place]]
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    function(*given, odd)
            except gough.GoughError:
                pass
            except TypeError as error:
                if "missing" not in str(error):
                    defects.append(f"{parameters[place].name}={odd!r}: {error!r}")
            except Exception as error:
                defects.append(f"{parameters[place].name}={odd!r}: {error!r}")
    assert not defects, "\n".join(defects)
