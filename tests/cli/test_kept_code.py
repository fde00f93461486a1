"""Commands take the code of data classes from disk: the same classes, without compiling it."""

import dataclasses
import os
import subprocess
import sys

import pytest

from gough.cli import kept_code as module
from gough.cli.kept_code import kept_code
from gough.compiler.native import cache


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path / "kernels"))
    return tmp_path / "kernels"


def made():
    @dataclasses.dataclass(frozen=True, order=True)
    class Pose:
        x: float
        y: float = 2.0
        names: tuple[str, ...] = dataclasses.field(default=(), compare=False)

    return Pose


def refuse(*_, **__):
    raise AssertionError("compiled again")


def test_a_second_process_compiles_no_data_class_again(monkeypatch):
    with kept_code():
        made()
    monkeypatch.setattr(module, "compile", refuse, raising=False)
    with kept_code():
        kept = made()
    plain = made()
    assert repr(kept(1.0)) == repr(plain(1.0))
    assert kept(1.0) == kept(1.0, names=("a",)) < kept(3.0)
    assert hash(kept(1.0)) == hash(plain(1.0))
    with pytest.raises(dataclasses.FrozenInstanceError):
        kept(1.0).x = 2.0
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        kept()


def test_what_others_wrote_is_not_run(folder):
    with kept_code():
        made()
    for file in folder.glob(f"*{cache.CODE}"):
        content = file.read_bytes()
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with kept_code():
        assert made()(1.0).y == 2.0


def test_data_classes_are_python_s_own_afterwards(folder):
    folder.write_text("not a folder")  # a cache that cannot be used is none
    with kept_code():
        assert "exec" in vars(dataclasses)
        assert made()(1.0).y == 2.0
    assert "exec" not in vars(dataclasses)


def test_a_second_command_keeps_nothing_more(folder):
    def kept():
        command = [sys.executable, "-m", "gough", "--help"]
        subprocess.run(command, env={**os.environ}, check=True, capture_output=True)
        return {file: file.stat().st_ino for file in folder.glob(f"*{cache.CODE}")}

    first = kept()
    assert len(first) == 1
    assert kept() == first
