"""Studies on compliant legs: inverse dynamics of connectors [Baiges 1996, 6.4.3]."""

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import gough
from gough.errors import InputError
from gough.motion import Constant, During, Machining, Quintic, Sine, line
from gough.report.charts import chart_plan
from gough.simulation import integrators, real_plant
from gough.simulation.integrators import Adaptive, integrate
from gough.studies.grid_results import GridResults

WAY = [0.02, 0.01, 0.03]
PUSH = Constant((40.0, -20.0, 60.0))
SERIES = (
    *("force", "power", "actuator_length_rate", "actuator_length_acceleration"),
    *("connector_deflection", "coupling_deflection", "coupling_deflection_rate"),
)


@pytest.fixture(scope="module")
def robot():
    """A machine without friction in passive joints, whose power no quantity tells."""
    data = gough.load("demo-hexapod").to_dict()
    del data["leg"]["joint_friction"]
    return gough.Robot.from_dict(data)


def to_and_fro(robot, cycles, duration=0.4):
    return line(robot.home, WAY, Sine(duration, cycles=cycles, phase=0.4))


def studied(robot, motion, legs="complete", samples=201, **more):
    return gough.run(gough.Study(robot, motion, samples=samples, legs=legs, **more))


@pytest.fixture(scope="module")
def periodic(robot):
    return studied(robot, to_and_fro(robot, 2), tasks=(PUSH,))


def jump(values):
    """First sample less the cubic through the next four, over the range of all."""
    along = 4 * values[1] - 6 * values[2] + 4 * values[3] - values[4]
    return np.abs(values[0] - along).max() / np.ptp(values, axis=0).max()


@pytest.mark.parametrize("name", SERIES)
def test_nothing_jumps_at_the_beginning_of_a_motion_that_repeats(periodic, name):
    values = periodic[name]
    assert jump(values) < 1e-4
    assert np.abs(values[0] - values[-1]).max() < 1e-5 * np.ptp(values, axis=0).max()


def test_nothing_jumps_at_the_beginning_of_a_motion_that_does_not_repeat(robot):
    results = studied(robot, to_and_fro(robot, 0.7), samples=151)
    assert all(jump(results[name]) < 2e-3 for name in SERIES)


def test_a_motion_from_rest_begins_in_equilibrium(robot):
    results = studied(robot, line(robot.home, WAY, Quintic(0.4)), "low-frequency", 61)
    connector = robot.legs[0].connector
    force = results["leg_force"][0]
    np.testing.assert_allclose(results["connector_deflection"][0] * connector.stiffness, force)
    stage = connector.coupling.stiffness
    np.testing.assert_allclose(results["coupling_deflection"][0] * stage, force)
    np.testing.assert_allclose(results["coupling_deflection_rate"][0], 0.0, atol=1e-12)


def test_power_is_what_is_stored_and_lost(robot, periodic):
    """Σ F_a Ė + w · v = dE/dt + C_t Ė² + C_c δ̇_c² + C_d (Ḋ - L̇)²."""
    connector = robot.legs[0].connector
    stored = periodic["energy"].sum(axis=1) + periodic["connector_energy"]
    rate = make_interp_spline(periodic.time, stored, k=5)(periodic.time, 1)
    lost = connector.damping * periodic["actuator_length_rate"] ** 2
    lost = lost + connector.coupling.damping * periodic["coupling_deflection_rate"] ** 2
    against = periodic["decoupling_speed"] - periodic["leg_speed"]
    lost = lost + connector.decoupling.damping * against**2
    outside = (periodic["wrench"] * periodic["twist"]).sum(axis=1)
    put_in = periodic["power"].sum(axis=1) + outside
    np.testing.assert_allclose(put_in, rate + lost.sum(axis=1), atol=2e-5 * np.abs(put_in).max())


def test_the_forward_model_with_these_forces_does_the_motion(robot, periodic):
    plant = real_plant(robot, legs="complete", drives=False, stops=False, joint_friction=False)
    start = plant.start(periodic["pose"][0], periodic["twist"][0])
    free = [leg.piston.center_of_mass for leg in robot.legs]
    own = (
        *(periodic["actuator_length"][0] - free, periodic["coupling_deflection"][0]),
        *(periodic["decoupling_position"][0], periodic["actuator_length_rate"][0]),
        periodic["decoupling_speed"][0],
    )
    start[13:43] = np.concatenate(own)
    found = integrate(
        plant,
        start,
        periodic.time[::20],
        make_interp_spline(periodic.time, periodic["force"], k=5),
        wrench=lambda t: np.array([*PUSH.force, *PUSH.moment]),
        integrator=Adaptive("LSODA", 1e-8, 1e-11),
    )
    wanted = periodic["pose"][::20]
    assert np.abs(gough.poses.difference(wanted, found.pose)).max() < 2e-6


def test_stiff_connectors_are_rigid_legs(robot):
    data = robot.to_dict()
    data["leg"]["connector"]["stiffness"] = 1e12
    data["leg"]["connector"]["coupling"] = {"stiffness": 1e12, "damping": 1e6}
    stiff, motion = gough.Robot.from_dict(data), to_and_fro(robot, 1)
    compliant = studied(stiff, motion, "low-frequency", 61)
    rigid = gough.run(gough.Study(stiff, motion, samples=61))
    for name in ("force", "power", "motor_current", "motor_voltage", "stroke_margin"):
        scale = np.abs(rigid[name]).max()
        np.testing.assert_allclose(compliant[name], rigid[name], atol=2e-5 * scale)
    for name in ("peak_force", "minimum_speed_margin", "peak_power"):
        assert compliant.summary[name].value == pytest.approx(rigid.summary[name].value, rel=1e-4)


def test_limits_are_those_of_the_actuators(robot, periodic):
    speed = np.abs(periodic["actuator_length_rate"]).max()
    limit = robot.legs[0].max_speed
    assert periodic.summary["minimum_speed_margin"].value == pytest.approx(limit - speed)
    assert speed != pytest.approx(np.abs(periodic["leg_speed"]).max(), rel=1e-3)
    low, high = robot.legs[0].stroke
    length = periodic["actuator_length"]
    margin = np.minimum(length - low, high - length).min()
    assert periodic.summary["minimum_stroke_margin"].value == pytest.approx(margin)


def test_limits_are_drawn_where_they_are_checked(periodic):
    plan = chart_plan(periodic)
    charts = [*plan.beside, *(chart for section in plan.sections for chart in section["charts"])]
    limits = {chart["quantity"]: chart["limits"] for chart in charts}
    assert limits["actuator_length"]
    assert limits["actuator_length_rate"]
    assert not limits["leg_length"]
    assert not limits["leg_speed"]


@pytest.mark.parametrize(
    "key", [{"static": True}, {"formulation": "kane"}, {"tolerances": {"legs[*].base": 1e-5}}]
)
def test_what_rigid_legs_alone_have_is_refused(robot, key):
    name = {"static": "analysis"}.get(*key, *key)
    with pytest.raises(InputError, match=f"{name}: of rigid legs alone; expected no such key"):
        gough.Study(robot, to_and_fro(robot, 1), legs="simple", **key)


@pytest.mark.parametrize(
    ("name", "words"), [("delta", "no extensible legs"), ("kalani-2016", "connector.* missing")]
)
def test_machines_without_connectors_are_refused(robot, name, words):
    with pytest.raises(gough.GoughError, match=words):
        gough.Study(gough.load(name), to_and_fro(robot, 1), legs="simple")


def test_a_file_says_so_and_varies_it():
    data = {
        "schema": "gough-study/1",
        "name": "on springs",
        "robot": "demo-hexapod",
        "legs": "simple",
        "samples": 41,
        "motion": {"kind": "line", "displacement": [0, 0, 0.02], "duration": 0.4},
        "outputs": {"quantities": ["forces", "shares"]},
    }
    results = gough.run(data)
    assert "connector_deflection" in results.quantities
    assert not {"gravity_share", "wrench_margin"} & results.quantities.keys()
    assert any("no shares of forces" in words for words in results.warnings)
    forces = results.to_dict()["forces"]["stated"]
    assert "springs, dampers and masses of compliant legs (simple)" in forces
    varied = {"name": "legs", "parameter": "legs", "values": ["rigid", "simple"]}
    grid = gough.run(data | {"variations": [varied], "outputs": {"quantities": ["forces"]}})
    assert isinstance(grid, GridResults)
    assert grid.figures["peak_force"].values[1] == results.summary["peak_force"].value
    controlled = {"kind": "joint-pid", "frequency": 5}
    with pytest.raises(InputError, match=r"legs: a simulation has those of its plant.*\[plant\]"):
        gough.run(data | {"controller": controlled})


def test_a_cutter_that_jumps_is_refused_and_tells_when(robot):
    """A tooth that leaves thick material: by F sin φ, wherever the time lies."""
    for milling in ("up", "down"):
        cut = {"immersion": 0.3, "milling": milling, "teeth": 3, "spindle_speed": 150.0}
        mill = Machining(force=100.0, form="teeth", **cut)
        motion = line(robot.home, [0.1, 0, 0], Quintic(1.0))
        times = mill.jumps_within(0.4, 0.5)
        pitch = 2 * np.pi / (150.0 * 3)
        np.testing.assert_allclose(np.diff(times), pitch)
        assert len(times) in (int(0.1 / pitch), int(0.1 / pitch) + 1)
        sides = [mill.wrench(t, motion(t)) for t in (times[0] - 1e-9, times[0] + 1e-9)]
        between = [mill.wrench(t, motion(t)) for t in times[0] + pitch * np.array([0.4, 0.4001])]
        assert np.abs(sides[1] - sides[0]).max() > 50 * np.abs(between[1] - between[0]).max()
        with pytest.raises(gough.GoughError, match=r"a load jumps at .* cutter in the mean"):
            studied(robot, motion, tasks=(mill,), samples=51)
        inside = During(mill, 0.45, 0.46).jumps_within(0.0, 1.0)
        assert inside[:2] == (0.45, 0.46)
        assert all(0.45 <= t <= 0.46 for t in inside)
    assert Machining(force=1.0, form="mean").jumps_within(0.0, 9.0) == ()
    whole = Machining(force=1.0, form="teeth", spindle_speed=10.0)
    assert whole.jumps_within(0.0, 9.0) == ()


def test_integrators_that_adapt_begin_anew_where_a_tooth_leaves(monkeypatch):
    given, own = [], integrators.integrate

    def integrated(*arguments, breaks, **options):
        given.extend(breaks)
        return own(*arguments, breaks=breaks, **options)

    monkeypatch.setattr(integrators, "integrate", integrated)
    cut = {"force": 50.0, "form": "teeth", "immersion": 0.3, "teeth": 2, "spindle_speed": 300.0}
    data = {
        "schema": "gough-study/1",
        "name": "cut",
        "robot": "kalani-2016",
        "motion": {"kind": "line", "displacement": [0.01, 0, 0], "duration": 0.05},
        "tasks": [{"kind": "machining", **cut}],
        "controller": {"kind": "open-loop"},
        "simulation": {"integrator": "DOP853", "period": 1e-2},
        "outputs": {"quantities": ["motion"]},
    }
    gough.run(data)
    expected = Machining(**cut).jumps_within(0.0, 0.05)
    assert len(expected) == 5
    assert set(expected) <= set(given)
