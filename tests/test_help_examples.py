"""The help of every public name has an example, and it runs as it stands there."""

import doctest

import pytest

import gough

NAMES = [name for name in gough.__all__ if not name.startswith("__")]


@pytest.mark.parametrize("name", NAMES)
def test_the_help_has_an_example_that_runs(name):
    examples = doctest.DocTestFinder(recurse=False).find(
        getattr(gough, name), name, globs={name: getattr(gough, name)}
    )
    assert sum(len(one.examples) for one in examples) > 0
    runner = doctest.DocTestRunner()
    said = []
    for one in examples:
        runner.run(one, out=said.append)
    assert runner.failures == 0, "".join(said)
