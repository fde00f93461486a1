"""Structured Text: an independent grammar reads it, and it computes what the kernels do.

Small kernels only: the grammar takes a quarter of a minute for forward kinematics, which
`pytest tests/exchange/check_structured_text.py` runs.
"""

import re
from xml.etree import ElementTree

import casadi as ca
import numpy as np
import pytest
from structured_text_machine import Units

import gough
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.compiler.front.program import Program
from gough.compiler.front.transformed import for_single_precision
from gough.compiler.native.kernel import Kernel
from gough.compiler.source.structured_text import structured_text
from gough.errors import CompilerError, GoughError
from gough.exchange import export_controller, export_kernels, source
from gough.exchange.plc import evaluated, function_block
from gough.exchange.source import driven_by, first_sample
from gough.simulation import joint_pid

TC6 = "{http://www.plcopen.org/xml/tc6_0201}"

LARGEST = -np.finfo(float).max, np.finfo(float).max


def exported(robot, kernels, folder, **options):
    model = gough.Model(gough.load(robot), **options)
    paths = export_kernels(model, folder, kernels, language="st").paths
    return model, [Units(path.read_text()).block(path.stem) for path in paths]


def close(got, expected):
    scale = np.abs(expected).max()
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * scale)


def test_leg_lengths_of_a_hexapod_are_the_kernels(tmp_path):
    model, (block,) = exported("kalani-2016", ["inverse_kinematics"], tmp_path)
    pose = gough.pose([0.05, -0.1, 1.4], rotation_vector=[0.1, 0.2, -0.3])
    block(pose=pose)
    close(block.values["q"], model.inverse_kinematics(pose))


def test_weights_of_a_delta_are_the_kernels_and_no_numbers_out_of_reach(tmp_path):
    model, (weights,) = exported("delta", ["gravity"], tmp_path)
    home = np.array(model.robot.home)
    pose, far = home + [0.05, 0.02, -0.03, 0, 0, 0, 0], home + [10, 0, 0, 0, 0, 0, 0]
    weights(pose=pose)
    close(weights.values["g"], model.gravity(pose))
    weights(pose=far)
    assert np.isnan(model.gravity(far)).all()
    assert np.isnan(weights.values["g"]).all()


def in_text(xml):
    """Structured Text of a file of PLCopen."""
    tags, text = {"inputVars": "VAR_INPUT", "outputVars": "VAR_OUTPUT", "localVars": "VAR"}, ""
    for unit in ElementTree.fromstring(xml).iterfind(f".//{TC6}pou"):
        kind = "FUNCTION_BLOCK" if unit.get("pouType") == "functionBlock" else "FUNCTION"
        returned = unit.find(f"{TC6}interface/{TC6}returnType/*")
        result = "" if returned is None else f" : {returned.tag.removeprefix(TC6)}"
        text += f"{kind} {unit.get('name')}{result}\n"
        for tag, word in tags.items():
            variables = unit.findall(f"{TC6}interface/{TC6}{tag}/{TC6}variable")
            lines = (f"{v.get('name')} : {type_of(v.find(f'{TC6}type/*'))};" for v in variables)
            text += f"{word}\n{chr(10).join(lines)}\nEND_VAR\n" if variables else ""
        text += f"{unit.find(f'{TC6}body/{TC6}ST/*').text}\nEND_{kind}\n"
    return text


def type_of(element):
    if element.tag == f"{TC6}array":
        ranges = (f"{d.get('lower')}..{d.get('upper')}" for d in element.iter(f"{TC6}dimension"))
        return f"ARRAY[{', '.join(ranges)}] OF {type_of(element.find(f'{TC6}baseType/*'))}"
    return element.get("name") or element.tag.removeprefix(TC6)


def test_the_file_of_plcopen_has_the_same_blocks(tmp_path):
    model = gough.Model(gough.load("planar-3rrr"))
    (path,) = export_kernels(model, tmp_path, ["inverse_kinematics"], language="plcopen").paths
    assert path.name == "inverse_kinematics.xml"
    root = ElementTree.parse(path).getroot()
    assert [part.tag.removeprefix(TC6) for part in root] == [
        "fileHeader", "contentHeader", "types", "instances",
    ]  # fmt: skip
    (said,) = root.findall(f".//{TC6}variable[@name='q']/{TC6}documentation/*")
    assert "rad" in said.text
    block = Units(in_text(path.read_text())).block("inverse_kinematics")
    pose = np.array(model.robot.home) + [0.05, 0.02, 0, 0, 0, 0, 0]
    block(pose=pose)
    close(block.values["q"], model.inverse_kinematics(pose))


def test_single_precision_is_as_near_as_its_header_states(tmp_path):
    model = gough.Model(gough.load("delta"))
    options = {"language": "st", "dtype": "float32"}
    (path,) = export_kernels(model, tmp_path, ["gravity"], **options).paths
    text = path.read_text()
    assert "LREAL" not in text
    stated = float(re.search(r"states near home: G (\S+)\.", " ".join(text.split()))[1])
    assert 1e-8 < stated < 3e-6
    block = Units(text).block("gravity")
    for move in ([0, 0, 0], [0.01, -0.02, 0.01]):
        pose = np.array([*np.array(model.robot.home[:3]) + move, *model.robot.home[3:]])
        block(pose=pose)
        found, exact = block.values["g"], model.gravity(pose.astype(np.float32).astype(float))
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, exact, rtol=0, atol=3 * stated * np.abs(exact).max())


def test_hyperbolic_tangents_in_single_precision_lose_little():
    function = Function.from_equation("steep", ca.tanh, [Argument("x")], [Argument("y")])
    program = for_single_precision(Program.of(function))
    block = Units(function_block(program, "float32")).block("steep")
    for x in np.float32([1.1e-3, 5e-3, 0.0199, 0.0201, 0.3]):
        block(x=x)
        np.testing.assert_allclose(block.values["y"], np.tanh(float(x)), rtol=3e-6)
        np.testing.assert_allclose(
            evaluated(program, np.array([x]))[0], block.values["y"], rtol=1e-7
        )


def test_the_header_of_a_search_in_single_precision_names_what_it_finds(tmp_path):
    options = {"language": "st", "dtype": "float32"}
    model = gough.Model(gough.load("five-bar"))
    (path,) = export_kernels(model, tmp_path, ["forward_kinematics"], **options).paths
    words = " ".join(path.read_text().split())
    assert re.search(r"in 10 states near home: pose \S+e-\d+, new_state \S+\. ", words)


def test_a_controller_gives_the_samples_of_the_simulation(tmp_path):
    robot, law = gough.load("knee"), joint_pid(kp=90, kd=4, ki=20)
    (path,) = export_controller(law, tmp_path, robot=robot, period=1e-3, language="st")
    text = path.read_text()
    assert "copy new_state to state, element by element" in text
    block = Units(text).block("controller")
    simulated = Kernel(law.function(robot, 1e-3, driven_by(law, robot).limit))
    inputs, rng = first_sample(law, robot), np.random.default_rng(4)
    state = inputs["state"]
    for _ in range(3):
        noise = 1e-2 * rng.normal(size=inputs["measurement"].shape)
        inputs["measurement"] = inputs["measurement"] + noise
        command, inputs["state"] = simulated(*inputs.values())
        reference, gains = inputs["reference"], inputs["gains"]
        block(state=state, measurement=inputs["measurement"], the_reference=reference, gains=gains)
        state = block.values["new_state"].copy()
        close(block.values["command"], command)
        close(state, inputs["state"])


def test_a_controller_in_a_language_that_is_not_known_is_refused(tmp_path):
    law = joint_pid(kp=90, kd=4)
    with pytest.raises(GoughError, match="'cuda'; expected one of 'c', 'st', 'plcopen'"):
        export_controller(law, tmp_path, robot=gough.load("delta"), period=1e-3, language="cuda")
    assert not [*tmp_path.iterdir()]


def everything(x, Limit):
    """Conditions, functions, and numbers that the language has no word for."""
    step = Function.from_equation(
        "heron",
        lambda r, a: ((r + a / r) / 2, ca.fabs(r * r - a) < 1e-12 * a),
        [Argument("r"), Argument("a")],
        [Argument("r"), Argument("status")],
    )
    repeat = iterate(step, 40)
    root, count, _ = repeat(1.0, ca.fabs(x[0]))
    other, at_most, status = repeat(1e30, ca.fabs(x[1]))
    angles = [ca.atan2(x[0], x[1]), ca.asin(ca.sin(x[0])), ca.acos(ca.cos(x[1]))]
    chosen = ca.if_else(x[0] < Limit, ca.if_else(x[1] <= 0, np.inf, 1e-300), -2.5e17)
    logic = ca.logic_or(x[0] == x[1], ca.logic_and(x[0] != 0, ca.logic_not(x[1] > 0)))
    extremes = [ca.fmin(x[0], x[1]), ca.fmax(x[0], x[1]), ca.sign(x[0]), ca.copysign(x[0], x[1])]
    powers = [ca.exp(x[0]), ca.log(ca.fabs(x[0])), ca.tan(x[1]), ca.fabs(x[0]) ** x[1]]
    powers += [ca.tanh(x[0]), ca.tanh(1e-4 * x[1]), ca.tanh(9e-3 * x[1])]
    found = ca.vertcat(*angles, chosen, logic, *extremes, *powers)
    return found, ca.vertcat(root, count, other, at_most, status)


@pytest.fixture(scope="module")
def both():
    function = Function.from_equation(
        "everything",
        everything,
        [Argument("x", (2,), "m", "a vector *) of two"), Argument("Limit")],
        [Argument("found", (16,)), Argument("roots", (5,))],
    )
    kernel = Kernel(function)
    return kernel, Units(structured_text(kernel.program)).block("everything")


@pytest.mark.parametrize("x", [(0.3, 2.0), (-0.7, -1.1), (1.4, -0.2), (-2.5, 0.4), (0.9, 0.9)])
def test_every_operation_is_as_in_the_kernel(both, x):
    kernel, block = both
    block(x=np.array(x), the_limit=0.5)
    found, roots = kernel(np.array(x), 0.5)
    found = np.clip(found, *LARGEST)  # the language knows no infinite constant
    np.testing.assert_allclose(block.values["found"], found, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(block.values["roots"], roots, rtol=1e-14)


def test_what_is_no_number_stays_so(both):
    kernel, block = both
    block(x=np.array([np.nan, 1.0]), the_limit=0.5)
    with np.errstate(invalid="ignore"):
        found, roots = kernel(np.array([np.nan, 1.0]), 0.5)
    np.testing.assert_array_equal(np.isnan(block.values["found"]), np.isnan(found))
    np.testing.assert_array_equal(np.isnan(block.values["roots"]), np.isnan(roots))


@pytest.fixture(scope="module")
def ratios():
    function = Function.from_equation(
        "ratios",
        lambda a, b: ca.vertcat(a / b, a / ca.fabs(b), 1 / ca.fabs(b), (1 / ca.fabs(b)) * a),
        [Argument("a"), Argument("b")],
        [Argument("found", (4,))],
    )
    kernel = Kernel(function)
    return kernel, Units(structured_text(kernel.program)).block("ratios")


@pytest.mark.parametrize("a", [2.0, -3.0, 0.0, -0.0, np.nan])
@pytest.mark.parametrize("b", [0.0, -0.0, 4.0])
def test_what_comes_of_a_division_is_as_in_the_kernel_and_nothing_is_divided_by_zero(ratios, a, b):
    kernel, block = ratios
    block(a=a, b=b)
    expected = kernel(a, abs(b))  # negative zero counts as zero
    np.testing.assert_array_equal(block.values["found"], expected)


def named(*names):
    inputs = [Argument(name) for name in names]
    return Program.of(Function.from_equation("named", lambda *x: sum(x), inputs, [Argument("y")]))


def test_names_that_differ_by_case_only_are_refused():
    with pytest.raises(CompilerError, match="'a' and 'A' are one name in Structured Text"):
        structured_text(named("a", "A"))


def test_what_the_language_cannot_say_is_refused():
    function = Function.from_equation("error", ca.erf, [Argument("x")], [Argument("y")])
    with pytest.raises(CompilerError, match="erf cannot be written in Structured Text"):
        structured_text(Program.of(function))


def test_what_cannot_be_written_is_left_out_of_all_kernels_and_listed(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_WRITERS", {"st": refusing(source._WRITERS["st"])})
    done = export_kernels(
        gough.Model(gough.load("five-bar")), tmp_path, language="st", prefix="bar_"
    )
    assert done.left_out["jacobian"] == "no such word"
    assert "bar_jacobian" not in done.operations
    assert len(done.paths) == len(done.operations) > 20
    with pytest.raises(CompilerError, match="no such word"):
        export_kernels(gough.Model(gough.load("five-bar")), tmp_path, ["jacobian"], language="st")


def refusing(write):
    def written(program, dtype):
        if program.name.removeprefix("bar_") == "jacobian":
            raise CompilerError("no such word")
        return write(program, dtype)

    return written


def test_no_kernel_is_no_export(tmp_path):
    for kernels, said in (([], "no kernel"), ("jacobian", "'jacobian'")):
        with pytest.raises(GoughError, match=f"{said} to export; expected a list of names"):
            export_kernels(gough.Model(gough.load("delta")), tmp_path, kernels, language="st")
