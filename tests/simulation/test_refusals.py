"""What cannot be simulated is refused at once, in a few words that name it."""

import numpy as np
import pytest
from simulated_motions import screw_motion

import gough
from gough.errors import GoughError
from gough.motion import Quintic
from gough.motion.motions import screws
from gough.simulation import Sensors, computed_torque, joint_pid, open_loop, rigid_plant
from gough.simulation.batch import simulate_batch
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.compliant_inverse import compliant_inverse
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.integrators import Adaptive, integrate
from gough.simulation.paths import Stepper
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import simulate
from gough.simulation.tuning.margins import quality, step_response
from gough.simulation.tuning.tune import place_poles

ROBOT, KALANI = gough.load("demo-hexapod"), gough.load("kalani-2016")
MOTION = screw_motion(ROBOT, duration=0.02, travel=0.001, angle=0.001)
CONTROLLER = computed_torque(900, 60)
FLAT = [0.05, 0.1, 0.0, 1, 0, 0, 0]
"""A singular pose of kalani-2016: all legs in the plane of the base."""
nan, inf = float("nan"), float("inf")


def run(robot=ROBOT, motion=MOTION, controller=CONTROLLER, **how):
    return simulate(Scenario(robot, controller, motion, **how))


def batch(varied, *, gains=None, every=10, **how):
    return simulate_batch(
        Scenario(ROBOT, CONTROLLER, MOTION, every=every, **how), varied, gains=gains
    )


def loop(robot=ROBOT):
    return ClosedLoop(rigid_plant(robot), CONTROLLER, robot)


def changed(robot, **facts):
    return gough.Robot.from_dict({**robot.to_dict(), **facts})


def massless():
    data = KALANI.to_dict()
    data["platform"] |= {"mass": 0.0, "inertia": [0.0, 0.0, 0.0]}
    data["leg"] = {k: v for k, v in data["leg"].items() if k not in ("cylinder", "piston")}
    return gough.Robot.from_dict(data)


TOO_MUCH = {
    "samples": lambda: run(sampling=Sampling(1e-12)),
    "samples beyond all numbers": lambda: run(sampling=Sampling(1e-300)),
    "samples, adaptive": lambda: run(sampling=Sampling(1e-12), integrator=Adaptive()),
    "samples, open loop": lambda: run(
        controller=open_loop(), sampling=Sampling(1e-12), integrator=Adaptive()
    ),
    "samples, Python": lambda: run(controller=lambda *_: np.zeros(6), sampling=Sampling(1e-12)),
    "samples of a batch": lambda: batch({}, sampling=Sampling(1e-12)),
    "runs": lambda: batch({"platform.mass": np.full(10**5, 150.0)}, every=1),
    "step response": lambda: step_response(loop(), duration=1e12),
    "compliant inverse": lambda: compliant_inverse(ROBOT, MOTION, samples=10**12),
    "states": lambda: integrate(
        rigid_plant(ROBOT),
        rigid_plant(ROBOT).start(ROBOT.home),
        np.arange(20_000.0),
        np.zeros(6),
    ),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_what_does_not_fit_in_memory_is_refused_before_it_begins(what, monkeypatch):
    monkeypatch.setattr("gough.memory.available_memory", lambda: 5_000_000)
    with pytest.raises(GoughError, match=r"need about .* GB of memory, and .* GB are free"):
        TOO_MUCH[what]()


REFUSED = {
    "every is 0": lambda: run(every=0),
    "every is True": lambda: run(every=True),
    "every is -1": lambda: batch({}, every=-1),
    "every is 0; expected a whole number, 1 or more": lambda: loop().run(
        loop().start(ROBOT.home), np.zeros((3, 19)), every=0
    ),
    "substeps is nan": lambda: Sampling(substeps=nan),
    "delay is inf": lambda: Sampling(delay=inf),
    "sampling period is -1": lambda: Stepper(rigid_plant(ROBOT), -1),
    "substeps is 10000000; .* at most 10000": lambda: Sampling(1e-3, 10**7),
    "substeps is 10001": lambda: Stepper(rigid_plant(ROBOT), 1e-3, 10_001),
    "substeps is 0": lambda: Stepper(rigid_plant(ROBOT), 1e-3, 0),
    "command is .*nan": lambda: Stepper(rigid_plant(ROBOT)).step([nan] * 6),
    "start twist has shape": lambda: Stepper(rigid_plant(ROBOT)).reset(ROBOT.home, [1, 2]),
    "start pose is 'home'": lambda: run(start="home"),
    "duration is nan": lambda: run(duration=nan),
    "rng is -1": lambda: run(rng=-1, sensors=Sensors(noise=1e-6)),
    "rtol is 'fine'": lambda: Adaptive(rtol="fine"),
    r"unknown method \[\]": lambda: Adaptive([]),
    "integrator is 'Radau'": lambda: run(integrator="Radau"),
    "sampling is 0.001": lambda: run(sampling=1e-3),
    "motion is 'line'": lambda: run(motion="line"),
    "robot is 'demo-hexapod'": lambda: run(robot="demo-hexapod"),
    "controller is 'pid'": lambda: run(controller="pid"),
    "function of \\(time, measurement, reference\\)": lambda: run(controller=lambda t: np.zeros(6)),
    r"tasks\[0\]: an? int; expected a task": lambda: run(tasks=[3]),
    r"tasks: a Payload; expected a list": lambda: run(tasks=gough.motion.Payload(5.0)),
    "the controller returned 'up' at t = 0 s": lambda: run(controller=lambda t, m, r: "up"),
    "was lost at t = 0 s: the controller gave no number": lambda: run(
        controller=lambda t, m, r: np.full(6, nan)
    ),
    "times is not an array of numbers": lambda: integrate(
        rigid_plant(ROBOT), np.zeros(13), [0, "a"], np.zeros(6)
    ),
    "breaks is": lambda: integrate(
        rigid_plant(ROBOT), rigid_plant(ROBOT).start(ROBOT.home), [0, 1], np.zeros(6), breaks=[nan]
    ),
    "platform.mass is -150 kg in run 1; expected 0 or more": lambda: batch(
        {"platform.mass": [150.0, -150.0]}
    ),
    "platform.mass is nan in run 0": lambda: batch({"platform.mass": [nan]}),
    r"platform.mass has shape \(0,\)": lambda: batch({"platform.mass": []}),
    r"platform.mass is not an array of numbers: \['a'\]": lambda: batch({"platform.mass": ["a"]}),
    "platform.inertia in run 1: inertia violates the triangle": lambda: batch(
        {"platform.inertia.xx": [ROBOT.platform.inertia[0][0], 1e4]}
    ),
    r"cannot vary 'home\.z': it changes no run": lambda: batch({"home.z": [0.8, 0.9]}),
    r"legs\[0\]\.stroke is 1\.2 to 1\.163 m in run 1": lambda: batch(
        {"legs[0].stroke.shortest": [0.7, 1.2]}
    ),
    "start of run 1: leg 1 is 0.963451 m long; .* 0.763 to 0.96 m": lambda: batch(
        {"legs[0].stroke.longest": [1.1, 0.96]}
    ),
    "integrator is Adaptive.*; expected none: runs of a batch": lambda: batch(
        {}, integrator=Adaptive()
    ),
    "every is 1000000000; expected less than the 21 samples": lambda: batch({}, every=10**9),
    "gains are not all finite": lambda: batch({}, gains=[[nan] * 12]),
    "size is 0": lambda: step_response(loop(), size=0),
    "frequency is 'fast'": lambda: place_poles(gough.Model(ROBOT), "joint-pid", "fast"),
    "beyond all numbers": lambda: place_poles(gough.Model(ROBOT), "joint-pid", 1e300),
    "has no derivative at this state": lambda: quality(loop(changed(ROBOT, gravity=[0, 0, -1e99]))),
    "start: leg 1 is 4.88.* m long; expected a length within its stroke": lambda: run(
        start=[0, 0, 5, 1, 0, 0, 0]
    ),
    "do not determine how it moves": lambda: run(massless(), screws.hold(KALANI.home, 0.1)),
    "do not determine how it moves at the pose": lambda: Stepper(rigid_plant(massless())),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("words", REFUSED)
def test_what_makes_no_sense_is_refused_by_its_name(words):
    with pytest.raises(GoughError, match=words) as caught:
        REFUSED[words]()
    assert len(str(caught.value)) < 400


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("integrator", [None, Adaptive()])
@pytest.mark.parametrize(
    "controller", [CONTROLLER, joint_pid(1, 1), open_loop(), lambda t, m, r: np.zeros(6)]
)
def test_a_singular_start_is_refused_as_such(controller, integrator):
    with pytest.raises(GoughError, match=r"singular configuration: pose \[0.05, 0.1, 0, "):
        run(KALANI, screws.hold(FLAT, 0.1), controller, integrator=integrator)


def test_a_controller_that_stops_giving_numbers_ends_the_run_then():
    up = screws.line(ROBOT.home, [0, 0, 0.01], Quintic(0.05))
    results = run(motion=up, controller=lambda t, m, r: np.full(6, nan if t > 0.0305 else 330.0))
    assert results.warnings[0] == "the run was lost at t = 0.031 s: the controller gave no number"
    assert results.time[-1] == pytest.approx(0.03)
    assert all(np.isfinite(results[name]).all() for name in ("pose", "command", "force"))
