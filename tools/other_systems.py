"""Check machine code for other systems: emitted by LLVM, linked, and run where something runs it.

Ten kernels of the library become objects for Linux and macOS on arm64 and Windows on x86-64, as
`gough` would make them there; zig links each with a program that calls it, and qemu-aarch64 and
wine, where they are installed, run it. The numbers must be those of this computer, bit for bit.

    python tools/other_systems.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import llvmlite.binding as llvm
import numpy as np

import gough
from gough.compiler.front.program import Program
from gough.compiler.native.llvm_loop import BY_LIBRARY, BY_REGISTER, Flags, module_text
from gough.compiler.native.machine_code import PASSES, object_code
from gough.exchange.source import example_state

KERNELS = {
    "kalani-2016": ("inverse_kinematics", "inverse_dynamics", "forward_dynamics", "mass_matrix"),
    "delta": ("inverse_kinematics", "inverse_dynamics", "jacobian", "regressor"),
    "h4": ("inverse_kinematics",),
    "planar-3rrr": ("reactions",),
}


@dataclass(frozen=True)
class System:
    """What LLVM and zig call a system, its processor, and what runs its programs here."""

    name: str
    triple: str
    cpu: str
    target: str
    lanes: int
    flags: Flags
    runner: str = ""


SYSTEMS = (
    System("Linux arm64", "aarch64-unknown-linux-gnu", "cortex-a72", "aarch64-linux-musl", 2,
        BY_LIBRARY, "qemu-aarch64"),
    System("macOS arm64", "arm64-apple-macosx12.0", "apple-m1", "aarch64-macos", 2, BY_LIBRARY),
    System("Windows x86-64", "x86_64-pc-windows-gnu", "haswell", "x86_64-windows-gnu", 4,
        BY_REGISTER, "wine"),
)  # fmt: skip


def main() -> int:
    """Print a row for each kernel and system; whether all that ran gave the right numbers."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    failed = 0
    with TemporaryDirectory() as folder:
        for robot, names in KERNELS.items():
            model = gough.Model(gough.load(robot))
            for name in names:
                for system in SYSTEMS:
                    said = checked(Path(folder), model, name, system)
                    failed += said.startswith("FAILED")
                    print(f"{robot:12} {name:20} {system.name:15} {said}", flush=True)
    return failed


def checked(folder: Path, model: gough.Model, name: str, system: System) -> str:
    """What became of a kernel on a system."""
    kernel = getattr(model, name)
    program = Program.of(kernel.function)
    machine = llvm.Target.from_triple(system.triple).create_target_machine(
        cpu=system.cpu, opt=2, reloc="pic"
    )
    text = module_text(program, system.lanes, system.flags)
    code = object_code(text, name, machine, PASSES)
    made, source, built = (folder / f"{name}.{end}" for end in ("o", "c", "exe"))
    made.write_bytes(code)
    inputs = example_state(model, {argument.name for argument in program.inputs})
    given = [np.asarray(inputs[a.name], float).ravel() for a in program.inputs]
    source.write_text(caller(program, given), encoding="utf-8")
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", system.target, "-O1"]
    link = subprocess.run(
        [*zig, made, source, "-lm", "-o", built], capture_output=True, text=True, check=False
    )
    if link.returncode:
        return f"FAILED to link: {link.stderr.strip().splitlines()[0]}"
    said = f"{len(code):7,} bytes, linked"
    if not system.runner:
        return said
    if shutil.which(system.runner) is None:
        return f"{said}, not run for want of {system.runner}"
    run = subprocess.run([system.runner, built], capture_output=True, text=True, check=False)
    outputs = kernel(*(inputs[a.name] for a in program.inputs))
    wanted = np.concatenate([np.ravel(x) for x in np.atleast_1d([*_tuple(outputs)])])
    found = np.array([float.fromhex(word) for word in run.stdout.split()])
    same = found.shape == wanted.shape and np.array_equal(np.isnan(found), np.isnan(wanted))
    error = np.nanmax(np.abs(found - wanted)) / np.nanmax(np.abs(wanted)) if same else np.inf
    return f"{'' if error == 0 else 'FAILED '}{said}, run by {system.runner}: {error:.0e}"


def _tuple(outputs: object) -> tuple[object, ...]:
    return tuple(outputs) if isinstance(outputs, tuple) else (outputs,)


def caller(program: Program, given: list[np.ndarray]) -> str:
    """A program in C that calls the loop for three equal samples and prints the last result."""
    sizes = [int(np.prod(a.shape)) for a in (*program.inputs, *program.outputs)]
    arrays = [f"static double x{k}[3 * {max(size, 1)}];" for k, size in enumerate(sizes)]
    fill = [
        f"for (int s = 0; s < 3; s++) x{k}[s * {len(values)} + {j}] = {float(x).hex()};"
        for k, values in enumerate(given)
        for j, x in enumerate(values)
    ]
    outputs = range(len(given), len(sizes))
    shown = [
        f'for (int j = 0; j < {sizes[k]}; j++) printf("%a\\n", x{k}[2 * {sizes[k]} + j]);'
        for k in outputs
    ]
    shapes = [n for a in (*program.inputs, *program.outputs) for n in a.shape]
    inner = []
    for argument in (*program.inputs, *program.outputs):
        strides = np.cumprod([8, *argument.shape[:0:-1]])[::-1] if argument.shape else []
        inner += [int(s) for s in strides]
    steps = [8 * size for size in sizes] + inner
    return "\n".join([
        "#include <stdio.h>",
        "#include <stdint.h>",
        "void loop(char **, intptr_t *, intptr_t *, void *);",
        *arrays,
        "int main(void) {",
        *fill,
        f"char *args[] = {{{', '.join(f'(char *)x{k}' for k in range(len(sizes)))}}};",
        f"intptr_t dims[] = {{{', '.join(map(str, [3, *shapes]))}}};",
        f"intptr_t steps[] = {{{', '.join(map(str, steps))}}};",
        "loop(args, dims, steps, 0);",
        *shown,
        "return 0; }",
        "",
    ])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
