"""Exported C compiles for the processors of controllers, and its stack is known."""

import pytest
from cross_builds import TARGETS, code_size, compiled_for, stack_size

import gough
from gough.exchange import export_kernels
from gough.exchange.source import exported_program


@pytest.mark.parametrize("name", TARGETS)
def test_forward_kinematics_compiles_for_a_controller_without_warnings(name, tmp_path):
    target, kernel = TARGETS[name], "forward_kinematics"
    model = gough.Model(gough.load("delta"))
    export_kernels(model, tmp_path, [kernel], dtype=target.dtype)
    frames = compiled_for(target, tmp_path, kernel)
    program = exported_program(model, kernel, target.dtype)
    assert b"__aeabi_f" not in (tmp_path / f"{kernel}.o").read_bytes()  # its own arithmetic
    assert 100 < stack_size(program, frames) <= sum(frames.values())
    assert 1_000 < code_size(tmp_path, kernel) < 20_000
