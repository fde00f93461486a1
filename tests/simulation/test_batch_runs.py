"""A run of a batch is what `simulate` gives with a plant of its numbers: it begins and ends so."""

import numpy as np
import pytest
from simulated_motions import screw_motion

import gough
from gough.simulation import Scenario, Sensors, computed_torque, joint_pid, pd_gravity, rigid_plant
from gough.simulation import batch as module
from gough.simulation.batch import simulate_batch
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.simulate import simulate

ROBOT = gough.load("demo-hexapod")
MOTION = screw_motion(ROBOT, duration=0.3)
CONTROLLERS = {
    "pid": joint_pid(2e5, 4e3, 1e5),
    "pd": pd_gravity(2e5, 4e3),
    "torque": computed_torque(900, 60),
}


def plant_with(platform=None, first_leg=None):
    """Rigid legs, of a robot with other facts about its platform or its first leg."""
    data = ROBOT.to_dict()
    data["platform"] |= platform or {}
    data["legs"][0] |= first_leg or {}
    return rigid_plant(gough.Robot.from_dict(data))


def assert_same_run(batch, run, single):
    for name, found in (("pose", batch.pose), ("twist", batch.twist), ("command", batch.force)):
        wanted = single[name]
        np.testing.assert_allclose(found[:, run], wanted, rtol=1e-9, atol=1e-9 * np.ptp(wanted))


@pytest.mark.parametrize(("law", "delay"), [("pid", 1), ("pd", 0), ("torque", 0), ("torque", 1)])
def test_runs_with_other_masses_are_single_runs(law, delay):
    controller, masses = CONTROLLERS[law], [120.0, 220.0]
    how = {"sampling": Sampling(1e-3, delay=delay), "every": 1}
    batch = simulate_batch(Scenario(ROBOT, controller, MOTION, **how), {"platform.mass": masses})
    plant = plant_with({"mass": masses[1]})
    assert_same_run(batch, 1, simulate(Scenario(ROBOT, controller, MOTION, plant=plant, **how)))


def test_encoders_begin_with_the_legs_of_their_run():
    base = np.array(ROBOT.legs[0].base) + [0.01, 0, 0]
    how = {"sensors": Sensors(speed_filter=2e-3), "every": 1}
    controller = CONTROLLERS["pd"]
    batch = simulate_batch(
        Scenario(ROBOT, controller, MOTION, **how), {"legs[0].base.x": [base[0], 0.3]}
    )
    plant = plant_with(first_leg={"base": base.tolist()})
    assert_same_run(batch, 0, simulate(Scenario(ROBOT, controller, MOTION, plant=plant, **how)))


@pytest.mark.parametrize("every", [1, 7, 250])
@pytest.mark.parametrize("at_a_time", [1, 4_000_000])
def test_a_run_ends_at_the_end_of_its_own_stroke(every, at_a_time, monkeypatch):
    monkeypatch.setattr(module, "NUMBERS_AT_A_TIME", at_a_time)
    controller, longest = CONTROLLERS["torque"], [0.97, 2.0, 1.0]
    varied = {"legs[1].stroke.longest": longest}
    batch = simulate_batch(Scenario(ROBOT, controller, MOTION, every=every), varied)
    ends = batch.endings
    assert ends[1] is None
    assert np.isfinite(batch.pose[:, 1]).all()
    alone = simulate(Scenario(ROBOT, controller, MOTION))
    q = gough.Model(ROBOT).inverse_kinematics(alone["pose"])[:, 1]
    for k in (0, 2):
        first = int(np.argmax(q > longest[k]))
        assert ends[k].kind == "end stop"
        assert "leg 2 hit" in ends[k].text
        assert ends[k].time == pytest.approx(alone.time[first], abs=1e-12)
        assert ends[k].samples == (batch.time < ends[k].time).sum()
        assert np.isnan(batch.pose[ends[k].samples :, k]).all()
        assert np.isfinite(batch.pose[: ends[k].samples, k]).all()


def test_one_machine_may_have_many_gains():
    gains = np.stack([CONTROLLERS["torque"].gain_values(6)] * 3)
    varied = {"legs[1].stroke.longest": [0.97]}
    batch = simulate_batch(
        Scenario(ROBOT, CONTROLLERS["torque"], MOTION, every=10), varied, gains=gains
    )
    assert {ending.kind for ending in batch.endings} == {"end stop"}
    assert len(batch.endings) == batch.pose.shape[1] == 3
