"""Object code on disk: found again, rebuilt when damaged, bounded, and never in the way."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native import cache
from gough.compiler.native import machine_code as native
from gough.compiler.native.kernel import Kernel
from gough.disk.files import OPENS_FOLDERS


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


def entries(folder):
    return sorted(folder.glob("*.o"), key=lambda p: p.stat().st_mtime_ns)


def works(k, factor=2.0):
    return abs(k(0.3) - float(ca.sin(factor * 0.3))) < 1e-15


def test_the_second_time_code_comes_from_disk(folder):
    assert not kernel()._code.from_cache
    again = kernel()
    assert again._code.from_cache
    assert works(again)
    assert cache.info().entries == 1
    assert cache.info().directory == folder
    assert len(entries(folder)) == 1
    assert len(list(folder.iterdir())) == 2  # and the secret


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
    monkeypatch.setattr(native, "object_code", lambda *_: pytest.fail("compiled anew"))
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
    (entry,) = entries(folder)
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
    def full_disk(*_, **__):
        raise OSError(28, "No space left on device")

    kernel(1.0)
    before = set(folder.iterdir())
    monkeypatch.setattr(cache.os, "replace", full_disk)
    assert works(kernel())
    assert set(folder.iterdir()) == before


def test_the_least_recently_used_entries_go_first(folder, monkeypatch):
    kernel(1.5)
    size = cache.info().size
    monkeypatch.setenv(cache.SIZE_VARIABLE, str(int(2.5 * size)))
    kernel(2.5)
    both = entries(folder)
    assert len(both) == 2
    for age, entry in zip((200, 100), both, strict=True):
        stamp = entry.stat().st_mtime - age
        cache.os.utime(entry, (stamp, stamp))
    assert kernel(1.5)._code.from_cache  # used again: now the younger one
    kernel(3.5)
    assert cache.info().entries == 2
    assert kernel(1.5)._code.from_cache
    assert not kernel(2.5)._code.from_cache


def test_a_folder_does_not_grow_far_beyond_its_limit(monkeypatch):
    """It is looked through at one write in four: half as much again has a chance of 1e-16."""
    limit = 256 * 2**10
    monkeypatch.setenv(cache.SIZE_VARIABLE, str(limit))
    for k in range(600):
        cache.write(f"{k:064x}", bytes(2**10))
        assert k % 100 or cache.info().size < 1.5 * limit


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
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
x, y = Argument("x"), Argument("y")
for k in (1.0, 2.0, 3.0, 4.0, 5.0):
    f = Function.from_equation("f", lambda x: ca.sin(k * x), [x], [y])
    assert abs(Kernel(f)(0.3) - float(ca.sin(k * 0.3))) < 1e-15
"""


def test_many_processes_at_once(folder):
    processes = [subprocess.Popen([sys.executable, "-c", PROGRAM]) for _ in range(4)]
    assert [p.wait(120) for p in processes] == [0, 0, 0, 0]
    assert cache.info().entries == 5
    assert {p.suffix for p in folder.iterdir() if p.name != ".gough-secret"} == {".o"}
    assert all(kernel(k + 1.0)._code.from_cache for k in range(5))  # all with the same secret


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.posix
def test_others_can_neither_read_the_secret_nor_write(folder, monkeypatch):
    before = os.umask(0)
    try:
        kernel()
    finally:
        os.umask(before)
    assert mode(folder) == 0o700
    assert {mode(path) for path in folder.iterdir()} == {0o600}


def test_an_entry_of_another_program_is_not_run(folder):
    """Copied over another's name it is whole and well signed, and yet the wrong code."""
    kernel(2.0)
    (two,) = entries(folder)
    kernel(3.0)
    (three,) = set(entries(folder)) - {two}
    three.write_bytes(two.read_bytes())
    found = kernel(3.0)
    assert not found._code.from_cache
    assert works(found, 3.0)


def resigned(content, key, secret):
    """What somebody would write who knows all about the format but the secret."""
    size = len(cache._MARK) + len(key) + 32
    return cache._header(key, content[size:], secret) + content[size:]


def test_only_who_knows_the_secret_can_write_an_entry(folder):
    kernel(2.0)
    kernel(3.0)
    two, three = entries(folder)
    secret = (folder / ".gough-secret").read_bytes()
    code = two.read_bytes()
    three.write_bytes(resigned(code, three.stem, b"another" + secret[7:]))
    assert not kernel(3.0)._code.from_cache
    three.write_bytes(resigned(code, three.stem, secret))
    assert kernel(3.0)._code.from_cache  # so it is the secret that makes the difference


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"x" * path.stat().st_size),
        lambda path: (path.rename(path.with_name("s")), path.symlink_to(path.with_name("s"))),
        pytest.param(lambda path: path.chmod(0o644), marks=pytest.mark.posix),
    ],
    ids=["lost", "empty", "damaged", "a link", "readable by all"],
)
def test_a_spoilt_secret_is_made_anew(folder, spoil):
    kernel()
    spoil(folder / ".gough-secret")
    assert not kernel()._code.from_cache
    assert kernel()._code.from_cache
    assert not OPENS_FOLDERS or mode(folder / ".gough-secret") == 0o600
    assert not (folder / ".gough-secret").is_symlink()


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda path: path.chmod(0o620), marks=pytest.mark.posix),
        pytest.param(lambda path: path.chmod(0o602), marks=pytest.mark.posix),
        pytest.param(lambda path: (path.unlink(), os.mkfifo(path)), marks=pytest.mark.posix),
        lambda path: (path.rename(path.with_name("e")), path.symlink_to(path.with_name("e"))),
        lambda path: (path.unlink(), path.mkdir()),
    ],
    ids=["the group writes", "all write", "a pipe", "a link", "a folder"],
)
def test_an_entry_that_others_may_have_written_is_not_run(folder, spoil):
    kernel()
    spoil(*entries(folder))
    found = kernel()
    assert not found._code.from_cache
    assert works(found)


@pytest.mark.posix
def test_what_belongs_to_another_user_is_not_used(folder, monkeypatch):
    kernel()
    monkeypatch.setattr(cache.os, "getuid", lambda: folder.stat().st_uid + 1)
    found = kernel()
    assert not found._code.from_cache
    assert works(found)
    assert cache.info().entries == 0
    assert cache.info().problem == "the folder belongs to another user"
    assert cache.clear() == 0
    assert len(entries(folder)) == 1


@pytest.mark.posix
def test_a_folder_that_others_could_write_is_closed(folder):
    kernel()
    folder.chmod(0o777)
    assert kernel()._code.from_cache  # signed: nobody else can have written it
    assert mode(folder) == 0o700


def test_the_files_of_users_are_left_alone(folder, monkeypatch):
    kernel()
    theirs = {
        "main.o": b"\x7fELF",
        "new-plan": b"",
        "new-chapter_": b"Gough",
        f"{'f' * 64}.o": b"\x7fELF",
        "new-0123456789abcdef.o": b"",
    }
    for name, content in theirs.items():
        (folder / name).write_bytes(content)
        os.utime(folder / name, (0, 0))
    monkeypatch.setenv(cache.SIZE_VARIABLE, "0")
    kernel(3.0)  # drops what it may
    assert cache.info().entries == 0
    monkeypatch.delenv(cache.SIZE_VARIABLE)
    kernel(4.0)
    assert cache.clear() == 1
    assert {p.name for p in folder.iterdir()} == {*theirs, ".gough-secret"}


def test_what_a_killed_process_left_behind_is_removed(folder, monkeypatch):
    kernel()
    monkeypatch.setenv(cache.SIZE_VARIABLE, str(10 * cache.info().size))
    left = [
        folder / "new-0123456789abcdef",
        folder / "new-a_b3d5f7",
        folder / "new-fedcba9876543210",
    ]
    left[0].write_bytes(b"")
    left[1].write_bytes(b"gough object 1\n and so on")
    left[2].write_bytes(b"gough object 2\n perhaps just now")
    for path in left[:2]:
        os.utime(path, (0, 0))
    kernel(3.0)
    assert [path.exists() for path in left] == [False, False, True]
    assert cache.clear() == 2
    assert not left[2].exists()


def test_entries_of_earlier_versions_are_cleared(folder):
    folder.mkdir()
    (folder / f"{'a' * 64}.o").write_bytes(b"gough object 1\n" + bytes(100))
    assert cache.info().entries == 1
    assert cache.clear() == 1
