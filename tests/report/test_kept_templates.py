"""Templates are compiled once: other processes find the code, and only that of the same text."""

import pytest
from jinja2 import Environment
from jinja2.bccache import Bucket

from gough.compiler.native import cache
from gough.report import assembly


@pytest.fixture
def environment(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path))
    assembly._environment.cache_clear()
    yield assembly._environment
    assembly._environment.cache_clear()


def refuse(*_, **__):
    raise AssertionError("compiled again")


def test_a_second_process_compiles_no_template_again(environment, monkeypatch):
    first = environment().get_template("frame.html")
    environment.cache_clear()
    monkeypatch.setattr(Environment, "compile", refuse)
    again = environment().get_template("frame.html")
    assert again is not first
    assert again.root_render_func.__code__ == first.root_render_func.__code__


def test_a_template_that_has_changed_is_compiled_anew(environment):
    made = environment()
    kept = made.bytecode_cache
    bucket = kept.get_bucket(made, "frame.html", None, "{{ title }}")
    bucket.code = compile("1", "frame.html", "exec")
    kept.set_bucket(bucket)
    assert kept.get_bucket(made, "frame.html", None, "{{ title }}").code
    other = kept.get_bucket(made, "frame.html", None, "{{ subtitle }}")
    assert isinstance(other, Bucket)
    assert other.code is None
