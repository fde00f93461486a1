"""Compiled kernels on disk, damaged, exchanged and forged: the right numbers all the same."""

import hashlib
import shutil

import casadi as ca
import pytest

from fuzz.share import Tally, cases
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native import cache
from gough.compiler.native.kernel import Kernel

FACTORS = (2.0, 3.0, 5.0)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    path = tmp_path / "kernels"
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(path))
    return path


def _kernel(factor):
    def equation(x):
        return ca.vertcat(ca.sin(factor * x), factor / x)

    return Kernel(Function.from_equation("f", equation, [Argument("x")], [Argument("y", (2,))]))


def _flipped(path, rng):
    content = bytearray(path.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def _cut(path, rng):
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content))])


def _exchanged(path, rng):
    shutil.copy(rng.choice(sorted(path.parent.glob("*.o"))), path)


def _forged(path, rng):
    """The code of another entry behind this entry's head, with a checksum of today's mark."""
    other = rng.choice(sorted(path.parent.glob("*.o"))).read_bytes()[-2000:]
    head = path.read_bytes()[: rng.randrange(15, 200)]
    path.write_bytes(head + hashlib.sha256(other).digest() + other)


def _linked(path, rng):
    other = rng.choice(sorted(path.parent.glob("*.o")))
    if other != path:
        path.unlink()
        path.symlink_to(other)


def _another_secret(path, rng):
    secret = path.parent / ".gough-secret"
    secret.write_bytes(secret.read_bytes()[:-1] + bytes([rng.randrange(256)]))


def _open_to_all(path, _):
    path.chmod(0o666)


DAMAGE = (_flipped, _cut, _exchanged, _forged, _linked, _another_secret, _open_to_all)


def test_whatever_happens_to_the_cache_kernels_give_the_right_numbers(folder, record_property):
    tally = Tally("damaged caches")
    for seed, rng in cases(20, seed=4_000_000):
        shutil.rmtree(folder, ignore_errors=True)
        for factor in FACTORS:
            _kernel(factor)
        damage = rng.choice(DAMAGE)
        damage(rng.choice(sorted(folder.glob("*.o"))), rng)
        for factor in FACTORS:
            y = _kernel(factor)(0.3)
            expected = [float(ca.sin(factor * 0.3)), factor / 0.3]
            assert abs(y - expected).max() < 1e-14, f"cache {seed}: {damage.__name__}"
        tally.add(damage.__name__.strip("_").replace("_", " "))
    record_property("fuzz", str(tally))
