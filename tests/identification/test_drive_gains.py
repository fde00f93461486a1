"""Torque constants of simulated motors are found with a known payload, by total least squares."""

import numpy as np
import pytest
from recordings import recorded, rich_motion, states

import gough
from gough.errors import GoughError
from gough.identification.filtering import Lowpass
from gough.motion import Payload

CARRIED = Payload(20.0, (0.05, -0.08, 0.25), (0.3, 0.4, 0.5))
SHARES = np.array([0.93, 1.05, 1.1, 0.97, 0.9, 1.02])
NOISE, DURATION = 30.0, 15.0


@pytest.fixture(scope="module")
def by_file():
    """As the file has it: motors that are all alike, which do not rub."""
    data = gough.load("demo-hexapod").to_dict()
    still = ("rotor_damping", "rotor_friction", "screw_damping", "screw_friction")
    data["leg"]["drive"] |= dict.fromkeys(still, 0.0) | {"efficiency": 1.0}
    data["leg"]["connector"]["damping"] = 0.0
    return gough.Robot.from_dict(data)


@pytest.fixture(scope="module")
def truth(by_file):
    """Each motor has a constant of its own."""
    data = by_file.to_dict()
    shared = data.pop("leg")
    constants = shared["drive"]["torque_constant"] * SHARES
    data["legs"] = [
        shared | leg | {"drive": shared["drive"] | {"torque_constant": float(constant)}}
        for leg, constant in zip(data["legs"], constants, strict=True)
    ]
    return gough.Robot.from_dict(data)


@pytest.fixture(scope="module")
def recordings(truth):
    """Currents without and with the payload."""
    options = {"measured": "motor_current", "noise": NOISE, "duration": DURATION}
    return recorded(truth, 1, **options), recorded(CARRIED.carried_by(truth), 2, **options)


@pytest.fixture(scope="module")
def found(by_file, recordings):
    unloaded, loaded = recordings
    return gough.identify(
        by_file.replace({"platform.mass": 180.0}),
        unloaded,
        loaded=loaded,
        payload=CARRIED,
        legs="identical",
        friction=(),
    )


def least_squares(robot, recordings):
    """Constants over those of the file, with currents as if they had no noise.

    K i - W x = what the payload asks for; with the true motion, filtered on both sides.
    """
    model, smooth, rows = gough.Model(robot), Lowpass(9.0, 1000.0), []
    base = gough.base_parameters(robot)
    own = gough.standard_parameters(robot)
    carried = gough.standard_parameters(CARRIED.carried_by(robot)) - own
    drive = robot.legs[0].drive
    per_current = 2 * np.pi / drive.screw_lead * drive.torque_constant
    for seed, columns, load in zip((1, 2), recordings, (0.0, 1.0), strict=True):
        motion = states(robot.home, *rich_motion(seed, time=columns["t [s]"])[1:])
        current = np.stack([columns[f"motor_current_{k + 1} [A]"] for k in range(6)], -1)
        Y = model.regressor(*motion)
        parts = [
            (per_current * current)[..., None] * np.eye(6),
            -Y[..., base.pivots],
            -model.joint_acceleration(*motion)[..., None] * np.eye(6),
            load * (Y @ carried)[..., None],
        ]
        rows.append(
            smooth.decimated(np.concatenate(parts, -1)).reshape(-1, 6 + len(base.pivots) + 7)
        )
    rows = np.concatenate(rows)
    return np.linalg.lstsq(rows[:, :-1], rows[:, -1], rcond=None)[0][:6]


def test_constants_are_found_as_surely_as_they_say(by_file, truth, found):
    each = [found[f"actuators[{k}].torque_constant"] for k in range(6)]
    real = [leg.drive.torque_constant for leg in truth.legs]
    z = [(p.value - K) / p.sigma for p, K in zip(each, real, strict=True)]
    assert np.abs(z).max() < 3.0
    assert max(p.sigma / p.value for p in each) < 5e-3
    assert [leg.drive.torque_constant for leg in found.robot.legs] == pytest.approx(
        [p.value for p in each], rel=1e-3
    )


def test_plain_least_squares_find_them_too_small(by_file, found, recordings):
    """The noise of the currents counts as current: total least squares know better."""
    plain = least_squares(by_file, recordings) / SHARES
    total = [found[f"actuators[{k}].torque_constant"].value for k in range(6)]
    total = np.array(total) / (by_file.legs[0].drive.torque_constant * SHARES)
    assert plain.mean() < 0.975
    assert total.mean() == pytest.approx(1.0, abs=0.008)


def test_the_mass_is_right_though_the_file_is_wrong_about_the_motors(truth, found, recordings):
    mass = truth.platform.mass + sum(leg.piston.mass for leg in truth.legs)
    value = found["platform.mass"]
    assert abs(value.value - mass) < 3 * value.sigma
    assert value.sigma < 0.01 * mass


def test_what_tells_no_constants_is_refused(by_file, recordings):
    unloaded, loaded = recordings
    with pytest.raises(GoughError, match="a loaded recording and its payload, or neither"):
        gough.identify(by_file, unloaded, payload=CARRIED)
    torques = recorded(by_file, 1, duration=1.0)
    with pytest.raises(GoughError, match="but motor_torque was measured; expected motor_current"):
        gough.identify(by_file, torques, loaded=loaded, payload=CARRIED)
    slower = {name: values[::2] for name, values in loaded.items()}
    with pytest.raises(GoughError, match=r"recordings at 1000 Hz without and 500 Hz with"):
        gough.identify(by_file, unloaded, loaded=slower, payload=CARRIED)
