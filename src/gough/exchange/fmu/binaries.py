"""Shared libraries of an FMU's sources: by the system's C compiler, or by zig for others."""

import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from gough.compiler.native.machine_code import is_optimized
from gough.disk.files import writing
from gough.disk.sources import Texts
from gough.errors import GoughError, install_command
from gough.progress import progress_bar

FLAGS = ("-std=c99", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden")
OPTIMIZED, PLAIN = "-O1", "-O0"
"""Straight lines of thousands of operations gain nothing from more, which takes much longer."""

_OF_ZIG = ("-s", "-fno-sanitize=undefined")  # as small, and as lenient, as of other compilers


@dataclass(frozen=True)
class BuildPlatform:
    """Where an FMU can be run, and what FMI and zig call that."""

    name: str  # that of FMI 3.0, and its folder there
    fmi2: str  # its folder in FMI 2.0
    target: str  # for zig
    suffix: str


PLATFORMS = {
    known.name: known
    for known in (
        BuildPlatform("x86_64-linux", "linux64", "x86_64-linux-gnu.2.17", ".so"),
        BuildPlatform("aarch64-linux", "aarch64-linux", "aarch64-linux-gnu.2.17", ".so"),
        BuildPlatform("x86_64-windows", "win64", "x86_64-windows-gnu", ".dll"),
        BuildPlatform("x86_64-darwin", "darwin64", "x86_64-macos", ".dylib"),
        BuildPlatform("aarch64-darwin", "aarch64-darwin", "aarch64-macos", ".dylib"),
    )
}


def this_platform() -> str:
    """The name of the one that this is."""
    processor = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    name = f"{processor}-{platform.system().lower()}"
    if name not in PLATFORMS:
        raise GoughError(f"{name}: not known; expected platforms among {', '.join(PLATFORMS)}")
    return name


def chosen(names: Sequence[str] | None) -> list[BuildPlatform]:
    """The platforms by these names; None: this one."""
    if names is not None and not isinstance(names, list | tuple):
        expected = f"a list of names, such as [{next(iter(PLATFORMS))!r}]"
        raise GoughError(f"platforms are {names!r}; expected {expected}")
    wanted = [this_platform()] if names is None else names
    for name in wanted:
        if name not in PLATFORMS:
            raise GoughError(f"platform {name!r} is not known; expected {', '.join(PLATFORMS)}")
    return [PLATFORMS[name] for name in dict.fromkeys(wanted)]


def binaries(texts: Texts, identifier: str, platforms: Sequence[BuildPlatform]) -> list[bytes]:
    """The shared libraries of an FMU's sources, among its texts; compiled side by side."""
    bar, pool = progress_bar("compiling for platforms", len(platforms)), ThreadPoolExecutor()
    with bar as advance, pool:
        jobs = [pool.submit(_binary, texts, identifier, where) for where in platforms]
        for _ in as_completed(jobs):
            advance(1)
    return [job.result() for job in jobs]


def _binary(texts: Texts, identifier: str, where: BuildPlatform) -> bytes:
    compiler = _compiler(where)
    with writing(gettempdir()), TemporaryDirectory() as folder:
        sources = [Path(folder, Path(name).name) for name in texts if name.endswith((".c", ".h"))]
        for path in sources:
            path.write_bytes(texts[f"sources/{path.name}"].encode())
        compiled = sorted(path.name for path in sources if path.suffix == ".c")
        made = f"{identifier}{where.suffix}"
        libraries = [] if where.suffix == ".dll" else ["-lm"]
        level = OPTIMIZED if is_optimized() else PLAIN
        command = [*compiler, *FLAGS, level, *compiled, "-o", made, *libraries]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        if done.returncode:
            why = "\n  ".join(done.stderr.decode(errors="replace").splitlines()[:5])
            raise GoughError(f"{compiler[0]} cannot compile the FMU for {where.name}:\n  {why}")
        return Path(folder, made).read_bytes()


def _compiler(where: BuildPlatform) -> list[str]:
    if where.name == this_platform() and shutil.which("cc"):
        return ["cc"]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc", "-target", where.target, *_OF_ZIG]
    raise GoughError(
        f"no C compiler for {where.name}; expected zig ({install_command('fmu')})"
        + (", or the command cc" if where.name == this_platform() else "")
    )
