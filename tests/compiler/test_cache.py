"""Object code on disk: found again, rebuilt when damaged, bounded, and never in the way."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import pytest

from gough.compiler import cache, native
from gough.compiler.argument import Argument
from gough.compiler.function import Function
from gough.compiler.kernel import Kernel


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    path = tmp_path / "kernels"
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(path))
    return path


def kernel(factor=2.0):
    function = Function.from_equation(
        "f", lambda x: ca.sin(factor * x), [Argument("x")], [Argument("y")]
    )
    return Kernel(function)


def works(k, factor=2.0):
    return abs(k(0.3) - float(ca.sin(factor * 0.3))) < 1e-15


def test_the_second_time_code_comes_from_disk(folder):
    assert not kernel()._code.from_cache
    again = kernel()
    assert again._code.from_cache
    assert works(again)
    assert cache.info().entries == 1
    assert cache.info().directory == folder
    assert [p.suffix for p in folder.iterdir()] == [".o"]


def test_another_program_is_another_entry():
    kernel(2.0)
    assert not kernel(3.0)._code.from_cache


@pytest.mark.parametrize(
    "change",
    [{"cpu": "another"}, {"features": "+other"}],
    ids=["processor", "features"],
)
def test_another_processor_is_another_entry(change, monkeypatch):
    kernel()
    here = native.host()
    other = native.Host(**{**vars(here), **change})
    monkeypatch.setattr(native, "host", lambda: other)
    monkeypatch.setattr(native, "_object_code", lambda *_: pytest.fail("compiled anew"))
    with pytest.raises(pytest.fail.Exception, match="compiled anew"):
        kernel()


@pytest.mark.parametrize("name", ["__version__"])
def test_another_version_is_another_entry(name, monkeypatch):
    kernel()
    monkeypatch.setattr(native, name, "another")
    assert not kernel()._code.from_cache


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:10],
        lambda content: content[:-1],
        lambda content: content[:200] + b"\0" + content[201:],
        lambda content: b"nonsense" * 1000,
    ],
    ids=["empty", "header cut", "end cut", "one byte", "nonsense"],
)
def test_a_damaged_entry_is_rebuilt(folder, damage):
    kernel()
    (entry,) = folder.iterdir()
    entry.write_bytes(damage(entry.read_bytes()))
    rebuilt = kernel()
    assert not rebuilt._code.from_cache
    assert works(rebuilt)
    assert kernel()._code.from_cache


def test_a_folder_that_cannot_be_written_means_no_cache(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("in the way")
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(file / "below"))
    assert works(kernel())
    assert not kernel()._code.from_cache
    assert cache.info().entries == 0
    assert cache.clear() == 0


def test_a_write_that_fails_half_way_leaves_nothing(folder, monkeypatch):
    def full_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.Path, "replace", full_disk)
    assert works(kernel())
    assert list(folder.iterdir()) == []


def test_the_least_recently_used_entries_go_first(folder, monkeypatch):
    kernel(1.5)
    size = cache.info().size
    monkeypatch.setenv(cache.SIZE_VARIABLE, str(int(2.5 * size)))
    kernel(2.5)
    entries = sorted(folder.iterdir(), key=lambda p: p.stat().st_mtime_ns)
    assert len(entries) == 2
    for age, entry in zip((200, 100), entries, strict=True):
        stamp = entry.stat().st_mtime - age
        cache.os.utime(entry, (stamp, stamp))
    assert kernel(1.5)._code.from_cache  # used again: now the younger one
    kernel(3.5)
    assert cache.info().entries == 2
    assert kernel(1.5)._code.from_cache
    assert not kernel(2.5)._code.from_cache


def test_clearing_removes_everything():
    kernel(1.0)
    kernel(2.0)
    assert cache.clear() == 2
    assert cache.info().entries == 0


def test_many_writers_and_readers_at_once():
    with ThreadPoolExecutor(8) as pool:
        kernels = list(pool.map(lambda k: kernel(1.0 + k % 3), range(24)))
    assert all(works(k, 1.0 + i % 3) for i, k in enumerate(kernels))
    assert cache.info().entries == 3


PROGRAM = """
import casadi as ca
from gough.compiler.argument import Argument
from gough.compiler.function import Function
from gough.compiler.kernel import Kernel
for k in range(5):
    f = Function.from_equation("f", lambda x: ca.sin((k + 1) * x), [Argument("x")], [Argument("y")])
    assert abs(Kernel(f)(0.3) - float(ca.sin((k + 1) * 0.3))) < 1e-15
"""


def test_many_processes_at_once(folder):
    processes = [subprocess.Popen([sys.executable, "-c", PROGRAM]) for _ in range(4)]
    assert [p.wait(120) for p in processes] == [0, 0, 0, 0]
    assert cache.info().entries == 5
    assert all(p.suffix == ".o" for p in folder.iterdir())
