"""A robot that was identified with friction of its joints reproduces its own recording."""

import numpy as np
import pytest
from recordings import recorded, recorded_delta, rich_motion, states

import gough
from gough.identification.identified import Lag

NOISE = 0.1
FRICTION = {
    "base_damping": 1.5, "base_friction": 4.0, "platform_damping": 1.0, "platform_friction": 3.0
}  # fmt: skip


def rms(values):
    return np.sqrt(np.mean(np.square(values)))


def test_a_delta_reproduces_the_torques_it_was_identified_by():
    delta = gough.load("delta")
    columns, motion = recorded_delta(delta, 4, measured="force", noise=NOISE, duration=5.0)
    measured = np.column_stack([x for name, x in columns.items() if name.startswith("force")])
    other = delta.replace({"leg.motor.damping": 0.2, "leg.motor.friction": 0.1})
    model = gough.Model(
        gough.identify(other, columns, legs="identical", friction=("joints",)).robot
    )
    assert rms(model.actuator_force(*motion) - measured) < 1.02 * NOISE
    assert rms(model.inverse_dynamics(*motion) - measured) > 3 * NOISE


def test_a_hexapod_reproduces_the_forces_it_was_identified_by():
    data = gough.load("demo-hexapod").to_dict()
    data["leg"]["joint_stiffness"] |= {"base_bending": 60.0, "platform_bending": 40.0}
    wrong = gough.Robot.from_dict(data)
    data["leg"]["joint_friction"] = FRICTION
    truth = gough.Robot.from_dict(data)
    columns = recorded(truth, 1, duration=6.0, noise=0.0, step=None, measured="force")
    motion = states(truth.home, *rich_motion(1, duration=6.0)[1:])
    force = gough.Model(truth).actuator_force(*motion)
    force += 2.0 * np.random.default_rng(3).standard_normal(force.shape)
    columns |= {f"force_{k + 1} [N]": force[:, k] for k in range(6)}
    found = gough.identify(wrong, columns, legs="identical", friction=("joints",))
    model = gough.Model(found.robot)
    assert rms(model.actuator_force(*motion) - force) == pytest.approx(2.0, rel=0.05)
    assert rms(model.inverse_dynamics(*motion) - force) > 4.0


def test_a_lag_of_half_a_sample_is_explained_where_it_is_printed():
    half, other = Lag(5.1e-4, 1e-5, 1e-3), Lag(2e-3, 1e-5, 1e-3)
    assert "half a sample: commands that are held from sample to sample (1 ms)" in half.text
    assert "half a sample" not in other.text
    assert "half a sample" not in Lag(5e-4, 0.0, 1e-3).text
