"""Poles, tracking and study files of machines whose drives have inertia and friction."""

import numpy as np
import pytest
from simulated_motions import screw_motion

import gough
from gough.errors import GoughError
from gough.simulation import admittance, computed_torque, feed_forward, force_commanded, real_plant
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import simulate
from gough.simulation.tuning.margins import linear_loop
from gough.simulation.tuning.tune import TUNABLE, place_poles
from gough.studies.study import Study

HERTZ, DAMPING, INTEGRAL_RATE = 4.0, 0.8, 6.0
FREQUENCY = 2 * np.pi * HERTZ
PERIOD = 1e-4


def without_dry_friction(inductance=0.0):
    """The demo hexapod with drives that differ, viscous enough to matter, and have no dry friction.

    Without inductance the amplifiers' currents are there at once.
    """
    data = gough.load("demo-hexapod").to_dict()
    shared = data["leg"].pop("drive") | {
        "rotor_friction": 0.0,
        "screw_friction": 0.0,
        "efficiency": 1.0,
        "screw_damping": 1e-2,  # 4 kN s/m at the leg
        "inductance": inductance,
    }
    del data["leg"]["connector"]  # its friction is not the drives'
    for k, leg in enumerate(data["legs"]):
        leg["drive"] = shared | {"rotor_inertia": 1e-4 * (1 + k)}
    return gough.Robot.from_dict(data)


def driven_plant(robot):
    return force_commanded(real_plant(robot, joint_friction=False, stops=False))


def slow_poles(plant, controller, robot):
    """s = ln(z) / period of the sampled loop at home, without the amplifiers' own, fast poles."""
    loop = ClosedLoop(plant, controller, robot, Sampling(PERIOD))
    home = np.array(robot.home)
    z = linear_loop(loop, loop.start(home), np.concatenate([home, np.zeros(12)])).poles
    s = np.log(z[np.abs(z) > 0.5].astype(complex)) / PERIOD
    return s[np.abs(s) < 20 * FREQUENCY]


@pytest.mark.parametrize(
    ("kind", "inductance", "share"),
    [*((kind, 0.0, 0.003) for kind in TUNABLE), ("joint-pid", 5e-3, 0.02)],
)
def test_a_machine_on_drives_has_the_poles_that_were_asked(kind, inductance, share):
    """With inductance the amplifiers lag by half a millisecond, which moves poles by 1 %."""
    robot = without_dry_friction(inductance)
    of_pid = INTEGRAL_RATE if kind == "joint-pid" else 0.0
    asked = {"damping": DAMPING, "integral_rate": of_pid, "drives": True, "joint_friction": False}
    controller = place_poles(gough.Model(robot), kind, HERTZ, **asked)
    s = slow_poles(driven_plant(robot), controller, robot)
    wanted = FREQUENCY * (-DAMPING + 1j * np.sqrt(1 - DAMPING**2))
    np.testing.assert_allclose(s[s.imag > 1], [wanted] * 6, rtol=share)
    np.testing.assert_allclose(s[np.abs(s.imag) < 1], [-of_pid] * (6 if of_pid else 0), rtol=share)


@pytest.mark.parametrize(
    "make",
    [
        lambda **know: feed_forward(4e6, 8e4, **know),
        lambda **know: computed_torque(3600, 120, **know),
        lambda **know: computed_torque(3600, 120, space="task", **know),
        lambda **know: admittance(200, 2000, 5000, 3600, 120, **know),
    ],
    ids=["feed-forward", "computed-torque", "computed-torque-task", "admittance"],
)
def test_a_law_that_knows_the_drives_moves_them_without_error(make):
    """What is left is the command's being held: half a sample's change of the acceleration."""
    robot = without_dry_friction()
    motion = screw_motion(robot, duration=0.6)
    knowing, ignorant = (
        np.abs(
            simulate(Scenario(robot, make(drives=know), motion, plant=driven_plant(robot)))[
                "pose_error"
            ]
        ).max()
        for know in (True, False)
    )
    assert knowing < 1e-5
    assert ignorant > 20 * knowing


def study(kind, plant, **controller):
    if kind.endswith("-task"):
        kind, controller["space"] = kind.removesuffix("-task"), "task"
    data = {
        "schema": "gough-study/1",
        "name": "driven",
        "robot": "demo-hexapod",
        "motion": {
            "kind": "line",
            "displacement": [0.05, 0.02, 0.06],
            "profile": "quintic",
            "duration": 1.0,
        },
        "plant": plant,
        "controller": {"kind": kind, **controller},
    }
    return Study.from_dict(data)


@pytest.mark.parametrize("kind", TUNABLE)
def test_studies_with_all_friction_follow_their_motion(kind):
    """Friction of 0.1 kN, which no law here knows, on springs kp of at least m_r ω² = 0.15 N/um.

    PD does not know the acceleration either.
    """
    real = {"drives": True, "joint_friction": True, "stops": True}
    of_pid = {"integral_rate": INTEGRAL_RATE} if kind == "joint-pid" else {}
    results = gough.run(study(kind, real, frequency="4 Hz", **of_pid))
    assert results.study["run"]["ended"] == {"kind": "completed"}
    assert np.abs(results["leg_length_error"]).max() < (2e-3 if kind == "pd-gravity" else 1e-3)


def test_studies_tell_their_controllers_of_the_drives_that_are_simulated():
    for kind in ("feed-forward", "computed-torque", "computed-torque-task"):
        for how in ({"frequency": 4}, {"gains": {"kp": 600, "kd": 50}}):
            assert study(kind, {"drives": True}, **how).controller.drives
            assert not study(kind, {}, **how).controller.drives


def test_a_robot_without_drives_is_refused():
    data = gough.load("demo-hexapod").to_dict()
    del data["leg"]["drive"]
    model = gough.Model(gough.Robot.from_dict(data))
    for kind in ("joint-pid", "computed-torque"):
        with pytest.raises(GoughError, match=r"legs\[0\].drive .*missing"):
            place_poles(model, kind, HERTZ, drives=True)
