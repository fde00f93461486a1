"""Identification of simulated hexapods: what it finds is what they were made of, and how surely."""

import numpy as np
import pytest
from recordings import recorded, rich_motion, states

import gough
from gough.disk.tables import write_csv, write_parquet
from gough.errors import GoughError
from gough.identification.consistent import consistent
from gough.identification.estimation import estimated
from gough.identification.filtering import Lowpass, derivatives, highest_frequency
from gough.identification.friction import friction_numbers, joint_friction_kernel


@pytest.fixture(scope="module")
def truth():
    return gough.load("demo-hexapod")


@pytest.fixture(scope="module")
def wrong(truth):
    """The same robot as its maker believes it to be: a fifth too heavy, too easily moved."""
    cylinder, piston = {"mass": 7.2}, {"mass": 3.84}
    data = truth.to_dict()
    data["platform"]["mass"] *= 1.2
    data["platform"]["center_of_mass"] = [0.03, -0.01, 0.2]
    data["leg"]["cylinder"] |= cylinder
    data["leg"]["piston"] |= piston
    data["leg"]["drive"] |= {"rotor_inertia": 5e-4, "screw_damping": 8e-4, "efficiency": 0.92}
    return gough.Robot.from_dict(data)


@pytest.fixture(scope="module")
def found(truth, wrong):
    """What a recording of fifteen seconds shows."""
    return gough.identify(
        wrong,
        recorded(truth, 1, duration=15.0),
        legs="identical",
        drives="identical",
        validation=recorded(truth, 2, duration=6.0),
    )


def test_the_mass_and_the_drives_are_found(truth, found):
    mass = truth.platform.mass + 6 * truth.legs[0].piston.mass
    assert found["platform.mass"].value == pytest.approx(mass, rel=3e-3)
    drive, turns = truth.legs[0].drive, 2 * np.pi / truth.legs[0].drive.screw_lead
    expected = {
        "reflected_mass": turns**2 * (drive.rotor_inertia + drive.screw_inertia),
        "damping": turns**2 * (drive.rotor_damping + drive.screw_damping),
        "friction": turns * (drive.rotor_friction + drive.screw_friction),
        "load_friction": 1 / drive.efficiency - 1,
    }
    for name, value in expected.items():
        assert found[f"legs.drive.{name}"].value == pytest.approx(value, rel=0.01), name


def test_the_uncertainty_is_honest(truth, found):
    """Errors are as large as their standard deviations say, neither much less nor much more."""
    base = gough.base_parameters(truth, legs="identical")
    z = [
        (found[name].value - value) / found[name].sigma
        for name, value in zip(base.names, base.values, strict=True)
    ]
    assert 0.6 < np.sqrt(np.mean(np.square(z))) < 1.4


def test_the_robot_that_was_found_moves_as_the_true_one(truth, wrong, found):
    _, *places = rich_motion(3, duration=5.0, rate=50.0)
    motion = states(truth.home, *places)
    forces = [gough.Model(r).inverse_dynamics(*motion) for r in (truth, found.robot, wrong)]
    after, before = (np.sqrt(np.mean((f - forces[0]) ** 2)) for f in forces[1:])
    assert after < 0.3
    assert before > 30.0


def test_bodies_that_were_found_can_exist(found):
    for leg in found.robot.legs:
        for part in (leg.cylinder, leg.piston):
            moments = np.linalg.eigvalsh(part.inertia)
            assert moments[0] > 0
            assert moments[0] + moments[1] >= moments[2] * (1 - 1e-6)


def test_a_motion_that_was_not_seen_leaves_only_the_noise(found):
    """7.5 N at 1 kHz are 7.5 √(2 f / 1 kHz) up to a frequency f."""
    expected = 7.5 * np.sqrt(2 * found.cutoff / 1000)
    assert found.validation.rms == pytest.approx(expected, rel=0.15)
    assert found.noise == pytest.approx(expected, rel=0.2)
    assert found.validation.rms_before > 10 * expected


def test_a_report_says_what_is_significant(found):
    data = found.to_dict()
    assert data["validation"]["rms"] == found.validation.rms
    significant = {p["name"]: p["significant"] for p in data["parameters"]}
    assert significant["platform.mass"]
    assert not significant["legs.cylinder.joint_inertia.xy"]
    assert "legs.drive.load_friction" in found.report()


def test_a_recording_is_read_from_files(truth, tmp_path):
    columns = recorded(truth, 4, duration=2.0, measured="force")
    write_parquet(columns, tmp_path / "run.parquet")
    write_csv(columns, tmp_path / "run.csv")
    for name in ("run.parquet", "run.csv"):
        recording = gough.Recording.of(tmp_path / name, truth)
        assert recording.measured == "force"
        assert recording.rate == pytest.approx(1000.0)
        np.testing.assert_array_equal(recording.length[:, 2], columns["leg_length_3 [m]"])


@pytest.mark.parametrize(
    ("heading", "column", "words"),
    [
        ("leg_length_2 [m]", lambda x: x[:-1], r"leg_length_2 \[m\]: another length"),
        ("force_3 [N]", lambda x: ["x"] * len(x), r"force_3 \[N\]: no column of numbers"),
        ("force_3 [N]", lambda x: x[:, None], "no column of numbers"),
        ("t [s]", lambda x: x[::-1], r"row 2: time does not go on .* expected 0.001 s"),
        ("t [s]", np.zeros_like, "time does not go on"),
        ("t [s]", lambda x: x[:-3], r"force_1 \[N\]: another length"),
    ],
)
def test_columns_that_do_not_fit_are_named(truth, heading, column, words):
    columns = recorded(truth, 1, duration=1.0, measured="force")
    with pytest.raises(GoughError, match=words):
        gough.Recording.of(columns | {heading: column(columns[heading])}, truth)


def test_recordings_that_cannot_be_used_are_refused(truth):
    columns = recorded(truth, 4, duration=2.0, measured="force")
    with pytest.raises(GoughError, match=r"leg_length_5 \[m\]: missing"):
        gough.Recording.of({k: v for k, v in columns.items() if "length_5" not in k}, truth)
    with pytest.raises(GoughError, match="no efforts in the recording"):
        gough.Recording.of({k: v for k, v in columns.items() if "force" not in k}, truth)
    with pytest.raises(GoughError, match=r"some of viscous, dry, load, joints, offset"):
        gough.identify(truth, columns, friction=("wet",))
    with pytest.raises(GoughError, match=r"motor_torque_hip-1 \[N m\], force_hip-1 \[N m\]"):
        gough.identify(gough.load("delta"), columns)


def test_the_actuators_pay_for_what_viscous_joints_lose(truth):
    """Their power is b ω² of every axis of the universal joints and of the spherical joints."""
    model, rng = gough.Model(truth), np.random.default_rng(9)
    pose, twist = truth.home, rng.standard_normal(6)
    numbers, _ = friction_numbers(truth, "force")
    columns = joint_friction_kernel(model.machines, numbers)(pose, twist).reshape(6, 6, 4)
    damping = np.array([0.3, 0.0, 0.7, 0.0])
    power = (columns @ damping).sum(-1) @ model.joint_velocity(pose, twist)
    rates = model.all_joints(pose, twist).velocity.reshape(6, 3)[:, :2]
    at_base = (rates**2).sum()
    at_platform = ((twist[3:] - model.leg_angular_velocity(pose, twist)) ** 2).sum()
    assert power == pytest.approx(0.3 * at_base + 0.7 * at_platform, rel=1e-12)


def test_rates_of_a_filtered_sine_are_those_of_the_sine():
    time = np.arange(0, 10, 1e-3)
    x = np.sin(2 * np.pi * 1.5 * time)[:, None]
    smooth = Lowpass(4 * highest_frequency(x, 1000.0), 1000.0)
    assert 1.5 <= smooth.cutoff / 4 < 2.5
    rows = smooth.rows(len(time))
    _, second = derivatives(time, smooth(x))
    np.testing.assert_allclose(second[rows], -((3 * np.pi) ** 2) * x[rows], atol=1e-3)


def test_sigma_of_filtered_noise_is_the_spread_of_many_estimates():
    """A constant force and a slow sine under noise that was filtered: 200 times."""
    rng = np.random.default_rng(8)
    smooth, time = Lowpass(20.0, 1000.0), np.arange(0, 6, 1e-3)
    columns = np.stack([np.ones_like(time), np.sin(2 * np.pi * time)], -1)[:, None, :]
    rows = smooth.rows(len(time))
    noise = smooth(rng.standard_normal((len(time), 200)))[rows]
    kept = columns[rows]
    found = [estimated(kept, one[:, None], smooth.correlation()) for one in noise.T]
    spread = np.std([estimate.values for estimate in found], axis=0)
    sigma = np.sqrt(np.mean([np.diag(estimate.covariance) for estimate in found], axis=0))
    np.testing.assert_allclose(sigma, spread, rtol=0.12)


def test_the_nearest_body_that_can_exist_is_on_the_border():
    """An estimate of more first moment than m and J allow is brought to h² = m J."""
    names = [f"legs.cylinder.{n}" for n in ("mass", "first_moment", "joint_inertia.xx")]
    priors, estimate = np.array([1.0, 0.1, 1.0]), np.array([1.0, 1.5, 1.0])
    m, h, J = consistent(
        names, priors, np.eye(3), estimate, 1e-3 * np.eye(3), np.ones(3), np.zeros(3)
    )
    assert h**2 == pytest.approx(m * J, rel=1e-4)
    assert m == pytest.approx(J, rel=1e-4)
    assert 1.0 < h < 1.5


def test_a_simulation_without_noise_is_a_recording(truth, wrong):
    """Nothing is too sure for the nearest bodies that can exist."""
    columns = recorded(truth, 1, duration=6.0, noise=0.0, step=None, measured="force")
    found = gough.identify(wrong, columns, legs="identical")
    _, *places = rich_motion(3, duration=5.0, rate=50.0)
    motion = states(truth.home, *places)
    forces = [gough.Model(r).inverse_dynamics(*motion) for r in (truth, found.robot)]
    assert np.abs(forces[1] - forces[0]).max() < 0.1
