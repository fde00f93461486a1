"""What a study says of the actuators, against physics and hand calculation."""

import numpy as np
import pytest
from study_samples import LINE, LOAD, PUSH, data, study

import gough
from gough.analysis.evaluation import OF_TOLERANCES
from gough.analysis.quantities import GROUPS, QUANTITIES, table_of, wanted
from gough.analysis.reductions import TimeSeries
from gough.analysis.summary import negative_time, summarize
from gough.motion import Constant, Payload, hold
from gough.studies import Outputs, Study
from gough.studies.run import run, run_one


@pytest.fixture(scope="module")
def results():
    return run_one(study())


def at_home(robot, tasks=(), **changes):
    return run_one(Study(robot, hold(robot.home, 1.0), tasks, samples=5, **changes))


def test_every_quantity_is_there_with_its_unit(results):
    known = wanted(["all"]).intersection(table_of(results.robot))
    assert set(results) == known - set(OF_TOLERANCES)  # of which the study has none
    units = {name: known.unit for name, known in table_of(results.robot).items()}
    for name, quantity in results.quantities.items():
        assert quantity.unit == units[name]
        assert len(quantity.values) == len(results)


def test_forces_are_those_of_the_kernel(results):
    model = gough.Model(results.robot)
    state = [results[name] for name in ("pose", "twist", "acceleration", "wrench")]
    np.testing.assert_allclose(results["force"], model.actuator_force(*state), rtol=1e-11)
    rates = model.joint_velocity(*state[:2])
    np.testing.assert_allclose(results["leg_speed"], rates, atol=1e-12)
    expected = np.linalg.det(model.jacobian(state[0]))
    np.testing.assert_allclose(results["determinant"], expected, rtol=1e-10)


def test_condition_is_that_of_the_jacobian_with_scaled_rotations(results):
    J = gough.Model(results.robot).jacobian(results["pose"])
    size = max(np.linalg.norm(leg.platform) for leg in results.robot.legs)
    expected = np.linalg.cond(J / ([1.0] * 3 + [size] * 3))
    np.testing.assert_allclose(results["condition"], expected, rtol=1e-10)


def test_actuators_carry_the_weight_at_rest():
    robot = gough.load("kalani-2016")
    found = at_home(robot)
    axes = gough.Model(robot).reaction_axes(robot.home).axes
    force = np.einsum("kij,ki->kj", axes, found["joint_force"][0])
    up = force[2::3].sum(axis=0)
    assert up[2] == pytest.approx(robot.platform.mass * 9.81, rel=1e-12)
    on_legs = force[::3].sum(axis=0)
    assert on_legs[2] == pytest.approx((1.5 + 6 * 0.2) * 9.81, rel=1e-12)
    assert found.summary["peak_power"].value == 0.0


def test_a_payload_is_the_same_as_a_heavier_platform():
    robot = gough.load("kalani-2016")
    heavier = robot.model_copy(update={"platform": robot.platform.model_copy(update={"mass": 4.0})})
    loaded = at_home(robot, (Payload(2.5),))
    np.testing.assert_allclose(loaded["force"], at_home(heavier)["force"], rtol=1e-12)
    assert loaded.robot.platform.mass == 4.0


def test_shares_add_up_to_the_force(results):
    shares = ("gravity_share", "inertia_share", "velocity_share", "external_share", "joint_share")
    np.testing.assert_allclose(sum(results[s] for s in shares), results["force"], atol=1e-9)


def test_the_coupling_adds_up_to_the_force_as_well(results):
    parts = "leg_gravity tangential coriolis centrifugal piston_gravity piston_inertia".split()
    legs = [f"{part}_share" for part in parts]
    total = results["platform_share"] + results["external_share"] + sum(results[s] for s in legs)
    bodies = results["force"] - results["joint_share"]
    np.testing.assert_allclose(total, bodies, atol=1e-9)
    weights = results["leg_gravity_share"] + results["piston_gravity_share"]
    kept = results["platform_share"] + results["external_share"] + weights
    np.testing.assert_allclose(
        bodies - kept, results["gravity_only_error"], atol=1e-9
    )  # what a model without these terms leaves out


def test_energy_is_the_integral_of_power(results):
    """Actuators and tasks change the machine's energy, but for what its joints take."""
    fine = run_one(study(samples=4001))
    by_tasks = np.einsum("ti,ti->t", fine["wrench"], fine["twist"])
    by_bodies = fine["power"] - fine["joint_share"] * fine["leg_speed"]
    total = by_bodies.sum(axis=1) + by_tasks
    change = fine["energy"].sum(axis=1)[-1] - fine["energy"].sum(axis=1)[0]
    assert TimeSeries(fine.time, total).integral() == pytest.approx(change, abs=1e-4)
    half = slice(0, 1201)
    change = fine["energy"].sum(axis=1)[1200] - fine["energy"].sum(axis=1)[0]
    assert TimeSeries(fine.time[half], total[half]).integral() == pytest.approx(change, abs=1e-4)


def test_energies_with_and_without_regeneration(results):
    spent, returned, net = (
        results.summary[f"energy_{k}"].value for k in ("spent", "returned", "net")
    )
    assert spent > 0
    assert returned > 0
    assert net == pytest.approx(spent - returned, abs=1e-9)
    power = results["power"]
    by_hand = np.trapezoid(np.clip(power, 0, None), results.time, axis=0)
    assert results.summary["energy_spent"].per_leg == pytest.approx(by_hand, rel=1e-12)


def test_peaks_have_the_value_leg_and_time_of_the_series(results):
    for figure, quantity in (("peak_force", "force"), ("peak_leg_speed", "leg_speed")):
        scalar, size = results.summary[figure], np.abs(results[quantity])
        assert scalar.value == size.max()
        assert scalar.per_leg == tuple(size.max(axis=0))
        k = int(np.searchsorted(results.time, scalar.time))
        assert size[k, scalar.leg - 1] == scalar.value
    assert results.summary["minimum_stroke_margin"].value == results["stroke_margin"].min()


@pytest.mark.parametrize("count", [2, 31, 32, 33, 400])
def test_figures_do_not_depend_on_how_many_samples_there_are(count):
    rng = np.random.default_rng(count)
    force = rng.normal(size=(count, 6))
    force[0, 2] = np.nan
    found = {"force": force, "power": force, "leg_length": force, "determinant": force[:, 0]}
    summary = summarize(gough.load("demo-hexapod"), np.linspace(0, 1, count), found, found)
    assert summary["peak_force"].per_leg == pytest.approx(np.nanmax(np.abs(force), axis=0))
    assert summary["shortest_leg_length"].value == np.nanmin(force)


def test_rms_of_a_constant_force_is_the_force():
    found = at_home(gough.load("kalani-2016"), (Constant((3.0, 0.0, 0.0)),))
    assert found.summary["rms_force"].per_leg == pytest.approx(np.abs(found["force"][0]))


def test_the_force_margin_and_how_long_it_is_negative():
    robot = gough.load("demo-hexapod")
    weak = [leg.model_copy(update={"max_force": 450.0}) for leg in robot.legs]
    found = run_one(Study(robot.model_copy(update={"legs": tuple(weak)}), study().motion))
    np.testing.assert_allclose(found["force_margin"], 1 - np.abs(found["force"]) / 450, rtol=1e-12)
    over = np.abs(found["force"]) > 450
    by_count = over.mean(axis=0) * 2.0
    assert found.summary["saturated_time"].per_leg == pytest.approx(by_count, abs=5e-3)
    assert found.summary["saturated_time"].value == pytest.approx(
        over.any(axis=1).mean() * 2, abs=5e-3
    )
    assert "exceeds its force" in found.warnings[0]


def test_negative_time_of_a_straight_line():
    time = np.array([0.0, 1.0, 3.0])
    values = np.array([[1.0, -1.0], [-1.0, -1.0], [3.0, np.nan]])
    assert negative_time(time, values).tolist() == [0.5 + 0.5, 1.0]


def test_margins_are_left_out_where_the_robot_states_no_limits():
    found = at_home(gough.load("kalani-2016"))
    assert not {"force_margin", "stroke_margin", "speed_margin"} & set(found)
    assert "minimum_force_margin" not in found.summary


def test_limits_that_are_passed_are_warned_of_with_leg_and_time():
    far = run(data(motion={"kind": "line", "displacement": [0, 0, 0.3], "duration": 0.3}))
    words = " / ".join(far.warnings)
    assert "exceeds its stroke by" in words
    assert "exceeds its speed by" in words
    assert "5 more legs too" in words


def test_a_jump_of_the_acceleration_is_warned_of():
    found = run(data(motion=LINE | {"profile": "cosine"}))
    assert "acceleration of the motion jumps at 0 s, 1 s" in found.warnings[-1]


def test_a_static_study_has_no_inertia_but_all_tasks():
    found = run(data(analysis="static"))
    model = gough.Model(found.robot)
    expected = model.inverse_dynamics(found["pose"], np.zeros(6), np.zeros(6), found["wrench"])
    np.testing.assert_allclose(found["force"], expected, rtol=1e-11)
    assert found.summary["peak_inertia_share"].value == 0.0
    assert found.summary["peak_external_share"].value > 10


def test_only_what_is_asked_is_computed():
    few = run(data(outputs={"quantities": ["condition", "legs"]}))
    assert {"condition", "leg_acceleration", "force", "determinant"} <= set(few)
    assert not {"joint_force", "tangential_share", "energy"} & set(few)
    np.testing.assert_array_equal(few["force"], run(data())["force"])
    alone = run(data(outputs={"quantities": ["gravity_only_error"]}))
    assert "tangential_share" not in alone
    assert alone.summary["peak_gravity_only_error"].value > 0


def test_groups_and_names_of_quantities():
    rates = {"leg_angular_velocity", "leg_angular_acceleration"}
    assert wanted(["all"]) == set(QUANTITIES) - {"natural_frequency"} - rates
    assert wanted(["all", "vibration", "rotation"]) == set(QUANTITIES)
    assert set(GROUPS) >= {"legs", "forces", "margins", "coupling", "reactions"}
    with pytest.raises(gough.GoughError, match="did you mean force"):
        wanted(["forse"])


def test_a_study_made_of_objects_runs():
    robot = gough.load("demo-hexapod")
    tasks = (Payload(5.0), Constant((0.0, 0.0, -10.0)))
    found = run(
        Study(robot, study().motion, tasks, rate=50.0, outputs=Outputs(quantities=("forces",)))
    )
    assert len(found) == 101
    assert found.study["robot"]["name"] == "demo-hexapod"


def test_tasks_of_a_file_are_those_of_objects(results):
    made = Study(
        gough.load("demo-hexapod"),
        study().motion,
        (
            Constant(tuple(PUSH["force"]), tuple(PUSH["moment"])),
            Payload(LOAD["mass"], tuple(LOAD["center_of_mass"]), tuple(LOAD["inertia"])),
        ),
        samples=401,
    )
    np.testing.assert_array_equal(run(made)["force"], results["force"])
