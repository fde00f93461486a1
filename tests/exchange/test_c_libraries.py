"""All kernels of a machine as one C library, whose example calls them in a state of the machine."""

import re
import subprocess

import numpy as np
import pytest
from compiled_c import COMPILER, QUICK, shown_by_example
from interpreted import interpreted

import gough
from gough.errors import CompilerError
from gough.exchange import export_kernels
from gough.exchange.source import example_state

ITERATED = {"crossing_residual", "crossing_share", "crossing_forces"}
"""Kernels with loops, which CasADi cannot interpret."""


@pytest.fixture(scope="module", params=["delta"])
def library(request, tmp_path_factory):
    """A model, what was written of it, and what its example printed."""
    folder = tmp_path_factory.mktemp("library")
    model = gough.Model(gough.load(request.param))
    done = export_kernels(model, folder, None)
    name = request.param.replace("-", "_")
    assert [path.name for path in done.paths] == [f"{name}.h", f"{name}.c", f"{name}_example.c"]
    return model, done, shown_by_example(folder, name, QUICK)


def test_the_example_of_every_kernel_prints_the_numbers_of_python(library):
    model, _, printed = library
    for kernel in model.kernel_names:
        function = model.function(kernel)
        state = example_state(model, {a.name for a in function.inputs})
        given = [state.get(a.name, np.zeros(a.shape)) for a in function.inputs]
        run = getattr(model, kernel) if kernel in ITERATED else interpreted(function)
        found = run(*given)
        several = found if len(function.outputs) > 1 else (found,)
        got = [numbers for name, numbers in printed.items() if name.startswith(f"{kernel}.")]
        for one, expected in zip(got, several, strict=True):
            assert np.isfinite(one).all()
            rounding = 1e-13 * max(1.0, np.abs(expected).max(initial=0.0))
            np.testing.assert_allclose(one, np.ravel(expected), rtol=1e-12, atol=rounding)


def test_the_example_is_a_state_that_the_machine_can_be_in(library):
    """It moves under a load, and what its motion takes brings about that very motion."""
    model, _, printed = library
    state = example_state(model, {"twist", "acceleration", "wrench", "force", "q"})
    assert all(np.abs(numbers).max() > 0.01 for numbers in state.values())
    np.testing.assert_allclose(
        printed["forward_dynamics.acceleration"], state["acceleration"], atol=1e-9
    )
    np.testing.assert_allclose(printed["forward_kinematics.pose"], model.robot.home, atol=1e-12)
    assert printed["forward_kinematics.status"] == 1
    if "admissible" in model.kernel_names:
        np.testing.assert_allclose(printed["admissible.possible"], state["twist"], atol=1e-15)


def test_what_several_kernels_call_is_written_once(library):
    _, done, _ = library
    text = next(path for path in done.paths if path.suffix == ".c").read_text()
    sweeps = re.findall(r"^static void \w+_\d+_(sweep_\d+_\d+)\(", text, re.MULTILINE)
    assert len(sweeps) == len(set(sweeps)) == 1
    assert len(re.findall(r"_iterate_sweep_\d+_\d+\(in", text)) >= len(ITERATED)


def test_every_file_says_of_which_robot_it_is(library):
    model, done, _ = library
    for path in done.paths:
        line = path.read_text().splitlines()[0]
        assert f"{model.robot.name}, fingerprint {model.robot.fingerprint[:16]}" in line


def test_the_header_counts_the_work_of_a_call(library):
    _, done, _ = library
    header = done.paths[0].read_text()
    for name, (once, most) in done.operations.items():
        assert once <= most
        assert f"{name}: {once} operations" in header
    once, most = done.operations["forward_kinematics"]
    assert f"forward_kinematics: {once} operations, at most {most} in all iterations" in header
    assert most > 10 * once


def test_parametric_headers_name_the_places_of_the_robots_numbers(tmp_path):
    model = gough.Model(gough.load("kalani-2016"), parametric=True)
    for kernel in ("inverse_kinematics", "jacobian"):
        export_kernels(model, tmp_path, [kernel])
    header = (tmp_path / "jacobian.h").read_text()
    places = dict(re.findall(r"#define ([A-Z]\w+) (\d+)\n", header))
    assert len(places) == len(model.parameters)
    assert model.parameter_names[int(places["LEGS_3_BASE_X"])] == "legs[3].base.x"
    assert model.parameters[int(places["PLATFORM_MASS"])] == model.robot.platform.mass
    both = '#include "jacobian.h"\n#include "inverse_kinematics.h"\nint place = LEGS_3_BASE_X;\n'
    (tmp_path / "both.c").write_text(both)
    subprocess.run([*COMPILER, *QUICK, "-c", "both.c"], cwd=tmp_path, check=True)


def test_what_ends_in_double_precision_only_is_left_out_and_said(tmp_path, monkeypatch):
    model = gough.Model(gough.load("delta"))
    with pytest.raises(CompilerError, match="crossing_share repeats sweep_6_3 until it is exact"):
        export_kernels(model, tmp_path, ["crossing_share"], dtype="float32")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(type(model), "kernel_names", ["jacobian", "crossing_share", "is_singular"])
    done = export_kernels(model, tmp_path, None, dtype="float32")
    assert set(done.left_out) == {"crossing_share", "is_singular"}
    assert "rounding errors of double precision; expected float64" in done.left_out["is_singular"]
    assert set(done.operations) == {"forward_kinematics", "jacobian"}


def test_kernels_at_once_are_one_function_with_less_work(tmp_path):
    model = gough.Model(gough.load("delta"))
    kernels = ["inverse_kinematics", "jacobian", "inverse_dynamics"]
    alone = export_kernels(model, tmp_path / "alone", kernels)
    done = export_kernels(model, tmp_path / "once", kernels, at_once=True)
    (work,) = done.operations.values()
    assert work[0] < 0.7 * sum(once for once, _ in alone.operations.values())
    separate = shown_by_example(tmp_path / "alone", "delta", QUICK)
    together = shown_by_example(tmp_path / "once", "delta", QUICK)
    by_output = {name.partition(".")[2]: numbers for name, numbers in separate.items()}
    assert together.keys() == by_output.keys()
    for name, numbers in together.items():
        np.testing.assert_allclose(numbers, by_output[name], rtol=1e-14, atol=1e-15)


def test_two_machines_are_in_one_program_by_their_prefixes(tmp_path):
    kernels = ["jacobian", "forward_kinematics"]
    for robot in ("delta", "kalani-2016"):
        model = gough.Model(gough.load(robot))
        prefix = f"{robot.partition('-')[0]}_"
        export_kernels(model, tmp_path, kernels, prefix=prefix)
    sources = ["delta.c", "kalani_2016.c", "delta_example.c"]
    build = [*COMPILER, *QUICK, *sources, "-lm", "-o", "both"]
    subprocess.run(build, cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "both"], check=True, capture_output=True, text=True)
    assert "delta_jacobian.J[0] = " in printed.stdout
    header = (tmp_path / "kalani_2016.h").read_text()
    assert "void kalani_forward_kinematics(" in header
    with pytest.raises(CompilerError, match="'2 jacobian' cannot be a name in C"):
        export_kernels(model, tmp_path, ["jacobian"], prefix="2 ")


def test_the_places_of_the_numbers_of_two_machines_are_told_apart_by_their_prefixes(tmp_path):
    lines = ["#include <stdio.h>", '#include "kalani_jacobian.h"', '#include "bingul_jacobian.h"']
    models = [gough.Model(gough.load(x), parametric=True) for x in ("kalani-2016", "bingul-2012")]
    for model in models:
        prefix = f"{model.robot.name.partition('-')[0]}_"
        export_kernels(model, tmp_path, ["jacobian"], prefix=prefix)
    shown = 'printf("%d %d", KALANI_LEGS_3_BASE_X, BINGUL_LEGS_3_BASE_X)'
    (tmp_path / "both.c").write_text("\n".join([*lines, f"int main(void) {{ {shown}; }}\n"]))
    build = [*COMPILER, *QUICK, "both.c", "-o", "both"]
    subprocess.run(build, cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "both"], check=True, capture_output=True, text=True)
    expected = [model.parameter_names.index("legs[3].base.x") for model in models]
    assert list(map(int, printed.stdout.split())) == expected
    assert expected[0] != expected[1]
