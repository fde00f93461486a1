"""Accelerometer and gyroscope on the platform, against hand-written physics and differences."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.errors import GoughError, InputError
from gough.motion import MotionSamples, Quintic, line
from gough.simulation import Imu, Scenario, computed_torque, simulate
from gough.simulation.batch import simulate_batch

PLACE = (0.1, -0.05, 0.07)
AXES = Rotation.from_euler("xyz", [0.4, -0.7, 1.1])
TILTED = Imu(position=PLACE, quaternion=np.roll(AXES.as_quat(), 1).tolist())
SWING = {
    "kind": "expression",
    "duration": 0.2,
    "x": "0.01*sin(10*t)",
    "z": "0.97 + 0.01*sin(15*t)",
    "euler": "ZYX",
    "angles": ["0.1*sin(12*t)", "0.08*sin(9*t)", "0.05*sin(14*t)"],
}


def study(robot="demo-hexapod", motion=SWING, **simulation):
    return {
        "schema": "gough-study/1",
        "name": "imu",
        "robot": robot,
        "motion": motion,
        "controller": {"kind": "computed-torque", "gains": {"kp": 900, "kd": 60}},
        "simulation": simulation,
    }


def rows(*columns):
    return np.column_stack(columns).astype(float)


def test_at_rest_it_reads_gravity_upwards_in_its_own_axes():
    still = MotionSamples(np.array([[0, 0, 1.0, 1, 0, 0, 0]]), np.zeros((1, 6)), np.zeros((1, 6)))
    force, rate = Imu().exact(still, (0, 0, -9.81))
    np.testing.assert_allclose(force, [[0, 0, 9.81]], atol=1e-15)
    np.testing.assert_allclose(
        TILTED.exact(still, (0, 0, -9.81))[0], [AXES.inv().apply([0, 0, 9.81])]
    )
    np.testing.assert_allclose(rate, 0)


def test_on_a_turntable_it_reads_the_centripetal_acceleration():
    omega, radius, t = 3.0, 0.2, np.linspace(0, 1, 7)
    zero = np.zeros_like(t)
    turn = np.roll(Rotation.from_rotvec(rows(zero, zero, omega * t)).as_quat(), 1, axis=1)
    pose = np.hstack([rows(zero, zero, zero), turn])
    twist = rows(zero, zero, zero, zero, zero, zero + omega)
    spinning = MotionSamples(pose, twist, np.zeros((7, 6)))
    imu = Imu(position=(radius, 0, 0))
    force, rate = imu.exact(spinning, (0, 0, -9.81))
    np.testing.assert_allclose(force, np.tile([-(omega**2) * radius, 0, 9.81], (7, 1)), atol=1e-12)
    np.testing.assert_allclose(rate, np.tile([0, 0, omega], (7, 1)), atol=1e-14)
    falling = spinning._replace(
        twist=np.zeros((7, 6)), acceleration=np.tile([0, 0, -9.81, 0, 0, 0], (7, 1))
    )
    np.testing.assert_allclose(imu.exact(falling, (0, 0, -9.81))[0], 0, atol=1e-15)


@pytest.mark.parametrize(
    ("robot", "motion"),
    [
        ("demo-hexapod", SWING),
        ("delta", {"kind": "line", "displacement": [0.02, 0.03, -0.02], "duration": 0.2}),
    ],
)
def test_readings_are_the_differences_of_the_simulated_motion(robot, motion):
    imu = {"position": PLACE, "quaternion": np.roll(AXES.as_quat(), 1).tolist()}
    found = gough.run(study(robot, motion, imu=imu, period="0.5 ms"))
    pose, h = found["pose"], found.time[1]
    turns = Rotation.from_quat(np.roll(pose[:, 3:], -1, axis=1))
    places = pose[:, :3] + turns.apply(PLACE)
    a = (places[2:] - 2 * places[1:-1] + places[:-2]) / h**2
    expected = (turns[1:-1] * AXES).inv().apply(a - np.array(found.robot.gravity))
    read = found["measured_acceleration"]
    mean = (read[1:-1] + read[:-2]) / 2  # commands step from sample to sample
    np.testing.assert_allclose(mean, expected, atol=2e-3 * np.abs(read - read[0]).max())
    omega = (turns[2:] * turns[:-2].inv()).as_rotvec() / (2 * h)
    expected = (turns[1:-1] * AXES).inv().apply(omega)
    rate = found["measured_angular_velocity"][1:-1]
    np.testing.assert_allclose(rate, expected, atol=1e-4 * max(np.abs(rate).max(), 0.1))


def test_exact_readings_are_the_second_differences_of_a_smooth_motion():
    motion = gough.Study.from_dict(study()).motion
    t, h = np.linspace(0.01, 0.19, 30), 1e-4
    pose = [motion(t + k * h).pose for k in (-1, 0, 1)]
    turns = [Rotation.from_quat(np.roll(p[:, 3:], -1, axis=1)) for p in pose]
    before, now, after = (p[:, :3] + r.apply(PLACE) for p, r in zip(pose, turns, strict=True))
    a = (after - 2 * now + before) / h**2
    omega = (turns[2] * turns[0].inv()).as_rotvec() / (2 * h)
    force, rate = TILTED.exact(motion(t), (0, 0, -9.81))
    own = (turns[1] * AXES).inv()
    np.testing.assert_allclose(force, own.apply(a + [0, 0, 9.81]), atol=2e-5)
    np.testing.assert_allclose(rate, own.apply(omega), atol=1e-6)


def test_noise_bias_and_rate_are_as_stated_and_repeat_with_the_seed(tmp_path):
    noisy = {
        "accelerometer_noise": "0.2 m/s^2",
        "gyroscope_noise": "0.5 deg/s",
        "accelerometer_bias": [0.1, 0, "-5 cm/s^2"],
        "gyroscope_bias": [0, 0.02, 0],
    }
    exact = gough.run(study(imu={}))
    one, same, other, slow = (
        gough.run(study(imu=noisy | more, seed=seed))
        for seed, more in ((3, {}), (3, {}), (4, {}), (3, {"rate": "100 Hz"}))
    )
    for name, noise, bias in (
        ("measured_acceleration", 0.2, [0.1, 0, -0.05]),
        ("measured_angular_velocity", np.radians(0.5), [0, 0.02, 0]),
    ):
        error = one[name] - exact[name] - bias
        assert error.std() == pytest.approx(noise, rel=0.1)
        assert np.abs(error.mean(axis=0)).max() < 4 * noise / len(error) ** 0.5
        np.testing.assert_array_equal(one[name], same[name])
        assert np.abs(one[name] - other[name]).max() > noise
        np.testing.assert_array_equal(slow[name], one[name][np.arange(len(slow)) // 10 * 10])
    np.testing.assert_array_equal(one["pose"], exact["pose"])  # nothing is fed back
    assert "measured_acceleration_z [m/s^2]" in one.columns()
    one.save(tmp_path / "one")
    loaded = gough.Results.load(tmp_path / "one")
    assert list(loaded.columns()) == list(one.columns())
    assert "noise [m/s^2]" in str(loaded.simulation.others["imu"])


@pytest.mark.parametrize(
    ("imu", "words"),
    [
        ({"rate": 300}, "simulation.imu.rate: not at samples, got 300.0; expected 1000 Hz"),
        ({"rate": 5000}, "simulation.imu.rate: not at samples"),
        ({"accelerometer_noise": -1}, "simulation.imu.accelerometer_noise"),
        ({"gyroscope_bias": [0, 1]}, "simulation.imu.gyroscope_bias"),
        ({"noise": 1}, "simulation.imu.noise: unknown key"),
    ],
)
def test_sensors_that_cannot_be_are_refused(imu, words):
    with pytest.raises(InputError) as refused:
        gough.Study.from_dict(study(imu=imu))
    assert words in str(refused.value)


def test_sensors_made_in_python_are_checked_too():
    robot = gough.load("kalani-2016")
    with pytest.raises(GoughError, match=r"^accelerometer_noise"):
        Imu(accelerometer_noise=np.nan)
    with pytest.raises(GoughError, match=r"^position"):
        Imu(position=(0, 0))
    with pytest.raises(InputError, match=r"^quaternion"):
        Imu(quaternion=(0, 0, 0, 0))
    motion = line(robot.home, [0.01, 0, 0], Quintic(0.05))
    with pytest.raises(InputError, match="not at samples"):
        Scenario(robot, computed_torque(900, 60), motion, imu=Imu(rate=700.0))
    found = simulate(Scenario(robot, computed_torque(900, 60), motion, imu=Imu()))
    assert found["measured_acceleration"].shape == (51, 3)
    with pytest.raises(GoughError, match="imu is Imu"):
        simulate_batch(Scenario(robot, computed_torque(900, 60), motion, imu=Imu()), {})
