"""Valves that change the mode of compliant connectors during a run."""

from pathlib import Path

import losses
import numpy as np
import pytest

import gough
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.model.parameters import machine_of
from gough.motion import hold
from gough.simulation import (
    Adaptive,
    Sampling,
    Stepper,
    ValveSetting,
    WorkSurface,
    computed_torque,
    real_plant,
)
from gough.simulation.integrators import StepTooLarge
from gough.simulation.plants.transmission import COUPLINGS
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import simulate

ROBOT = gough.load("demo-hexapod")
HOME = np.array(ROBOT.home)
BARE = {"drives": False, "joint_friction": False, "stops": False}
MODES = ("simple", "low-frequency", "high-frequency", "complete")
UP = np.array([100.0, 160.0, 120.0, 80.0, 140.0, 120.0])
STEP = 1e-4


def plant_of(first, *settings, **more):
    return real_plant(ROBOT, legs=first, valves=settings, **BARE, **more)


def at(time, mode):
    return ValveSetting(mode=mode, time=time)


def path(plant, steps, more=UP, start=None):
    """States under forces that hold the machine and some more."""
    stepper = Stepper(plant, STEP)
    command = real_plant(ROBOT, legs="simple", **BARE).holding(HOME) + more
    if start is not None:
        stepper.state = start
    return np.array([stepper.state, *(stepper.step(command) for _ in range(steps))]), command


STUDIES = Path(__file__).parents[2] / "studies" / "simulation"
LEGS = slice(0, 43)
"""Pose, twist and inner coordinates of the legs."""


@pytest.mark.parametrize("first", ["simple", "complete"])
def test_before_the_switch_a_run_is_that_of_its_first_mode(first):
    other = MODES[(MODES.index(first) + 1) % 4]
    switched, _ = path(plant_of(first, at(100 * STEP, other)), 150)
    alone, _ = path(real_plant(ROBOT, legs=first, **BARE), 150)
    free = [k for k in range(43) if np.ptp(alone[:, k]) > 0]  # others are not used
    np.testing.assert_allclose(switched[:101, free], alone[:101, free], rtol=1e-9, atol=1e-12)
    moved = np.abs(switched[-1, free] - alone[-1, free])
    assert moved.max() > 1e-7


def test_after_the_switch_a_run_is_one_of_the_other_mode_from_the_same_state():
    """Both modes are those of plants without valves: an oracle with other equations."""
    switched, _ = path(plant_of("low-frequency", at(100 * STEP, "complete")), 250)
    before, _ = path(real_plant(ROBOT, legs="low-frequency", **BARE), 100)
    after, _ = path(real_plant(ROBOT, legs="complete", **BARE), 150, start=before[-1])
    np.testing.assert_allclose(switched[100:, LEGS], after, rtol=1e-9, atol=1e-12)


def test_a_closed_valve_keeps_the_compression_and_an_open_one_gives_it_back():
    plant = plant_of("low-frequency", at(100 * STEP, "simple"), at(200 * STEP, "low-frequency"))
    states, command = path(plant, 300)
    modes = plant.output_kernel(states, command, np.zeros(6)).operating_mode
    np.testing.assert_array_equal(modes, np.repeat([2, 1, 2], [100, 100, 101]))
    delta = states[:, 19:25]
    assert np.ptp(delta[:101], axis=0).min() > 1e-6
    np.testing.assert_array_equal(delta[100:201], np.tile(delta[100], (101, 1)))
    assert np.ptp(delta[200:], axis=0).min() > 1e-6
    speeds = np.diff(states[:, LEGS], axis=0)
    assert np.abs(speeds[100] - speeds[99])[:13].max() < 2e-4  # nothing leaps


@pytest.mark.parametrize("modes", [("low-frequency", "simple"), ("complete", "high-frequency")])
def test_valves_give_no_energy(modes):
    """Work of the actuators is stored or lost in dampers and friction, over three switches."""
    first, other = modes
    turns = (at(80 * STEP, other), at(160 * STEP, first), at(240 * STEP, other))
    plant = plant_of(first, *turns)
    states, command = path(plant, 320)
    machine = machine_of(ROBOT)

    def lost(state):
        (_, pose, twist, (laws, inner, _), *_), _ = plant.split(machine, state)
        return losses.in_legs(machine.extensible, laws, pose, twist, inner)

    kernel = Kernel(Function.from_equation("lost", lost, [plant.state], [Argument("lost")]))
    force, speed, stored, *_ = plant.output_kernel(states, command, np.zeros(6))
    power = (force * speed).sum(axis=1) - kernel(states)
    later = states.copy()
    later[1:, 43:] = states[:-1, 43:]  # at the end of a step, with the valves that it had
    force, speed, *_ = plant.output_kernel(later, command, np.zeros(6))
    ends = (force * speed).sum(axis=1) - kernel(later)
    put_in = STEP * np.cumsum(power[:-1] + ends[1:]) / 2
    gain = stored.sum(axis=1)[1:] - stored[0].sum()
    assert np.abs(gain).max() > 0.05
    np.testing.assert_allclose(gain, put_in, atol=2e-4 * np.abs(gain).max())
    at_switches = np.diff(stored.sum(axis=1))[[79, 159, 239]]
    assert np.abs(at_switches).max() < 2 * np.abs(np.diff(stored.sum(axis=1))).mean()


def test_a_run_settles_as_one_of_its_last_mode_does():
    """Opened coupling stages settle where they are in a run that is in this mode from the start."""
    motion, controller = hold(ROBOT.home, 1.0), computed_torque(400, 40)
    found = [
        simulate(
            Scenario(
                ROBOT,
                controller,
                motion,
                plant=plant,
                tasks=[gough.motion.Constant((50.0, 0.0, 100.0))],
                sampling=Sampling(5e-4, 2),
            )
        )
        for plant in (
            plant_of("simple", at(0.1, "low-frequency")),
            real_plant(ROBOT, legs="low-frequency", **BARE),
        )
    ]
    switched, alone = found
    assert np.ptp(switched["operating_mode"]) == 1
    assert np.abs(switched["coupling_deflection"][:200]).max() == 0
    for name in ("pose", "coupling_deflection", "leg_force"):
        np.testing.assert_allclose(switched[name][-1], alone[name][-1], rtol=2e-3, atol=2e-6)


def touching(restitution=0.8, **rule):
    floor = WorkSurface(
        point=HOME[:3] + [0, 0, 5e-4], normal=(0, 0, -1), stiffness=2e5, restitution=restitution
    ).contact
    setting = ValveSetting(mode="complete", **rule)
    return plant_of("simple", setting, surface=floor)


@pytest.mark.parametrize("restitution", [0.8, 0.0])
def test_valves_change_while_the_tool_is_pressed(restitution):
    """Until it leaves: without restitution the force is zero on the way out already."""
    plant = touching(restitution, contact_force=40.0)
    upwards, command = path(plant, 400, 2 * UP)
    back, _ = path(plant, 600, -2 * UP, start=upwards[-1])
    states = np.concatenate([upwards, back[1:]])
    found = plant.output_kernel(states, command, np.zeros(6))
    force, distance = found.contact_force, found.contact_distance
    pressed = found.operating_mode == 4
    assert not pressed[0]
    changes = np.flatnonzero(np.diff(pressed.astype(int))) + 1
    assert len(changes) == 2
    for k in changes:
        assert force[k] > 40 if pressed[k] else distance[k] >= 0
    between = (force > 0) & (force < 40)
    assert pressed[between].any()
    assert not pressed[between].all()  # as it was before
    np.testing.assert_array_equal(pressed[force > 40], True)
    np.testing.assert_array_equal(pressed[distance >= 0], False)


def test_a_study_states_valves():
    data = {
        "schema": "gough-study/1",
        "name": "valves",
        "robot": "demo-hexapod",
        "motion": {"kind": "hold", "duration": 0.02},
        "controller": {"kind": "computed-torque", "gains": {"kp": 400, "kd": 40}},
        "plant": {
            "legs": "low-frequency",
            "valves": [
                {"time": "5 ms", "mode": "high-frequency"},
                {"time": "15 ms", "mode": "complete"},
            ],
        },
        "simulation": {"period": "0.5 ms", "substeps": 2},
    }
    run = gough.run(gough.Study.from_dict(data))
    np.testing.assert_array_equal(run["operating_mode"], np.repeat([2, 3, 4], [10, 20, 11]))
    data["plant"]["valves"][1]["time"] = "5 ms"
    with pytest.raises(
        gough.InputError, match=r"plant.valves: times \[0.005, 0.005\] s, and 0 contact"
    ):
        gough.Study.from_dict(data)
    data["plant"]["valves"] = [{"mode": "complete"}]
    words = r"plant.valves\[0\]: given twice or not at all; expected a time or a contact_force"
    with pytest.raises(gough.InputError, match=words):
        gough.Study.from_dict(data)


def test_the_high_frequency_mode_rejects_what_shakes_the_platform():
    """From 1 s on coupling stages are locked and decoupling dampers act."""
    run = gough.run(STUDIES / "demo-valves.toml")
    assert run.warnings == ()
    swings = []
    for start, mode in ((0.5, 2), (1.5, 3)):
        part = (run.time >= start) & (run.time < start + 0.5)
        assert (run["operating_mode"][part] == mode).all()
        swings.append(np.ptp(run["pose"][part, 0]))
    assert swings[1] < swings[0] / 4


def test_force_control_is_possible_where_a_mode_has_coupling_stages():
    assert COUPLINGS in plant_of("simple", at(1.0, "complete")).transmission.springs
    assert COUPLINGS not in plant_of("simple", at(1.0, "high-frequency")).transmission.springs


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: plant_of("rigid", at(1, "simple")), "valves: demo-hexapod has rigid legs"),
        (
            lambda: real_plant(gough.load("delta"), drives=False, valves=[at(1, "simple")]),
            r"valves: delta has rigid legs.*; expected legs of a hexapod: simple, ",
        ),
        (
            lambda: plant_of("simple", at(1, "complete"), links="flexible"),
            'plant.valves: not used; expected rigid links, and coordinates "pose"',
        ),
        (lambda: at(0, "simple"), "time: .*above 0"),
        (lambda: at(float("nan"), "simple"), "time"),
        (lambda: at(1, "rigid"), "mode: not known"),
        (
            lambda: plant_of("simple", at(2, "complete"), at(1, "simple")),
            r"plant.valves: times \[2.0, 1.0\] s, and 0 contact forces",
        ),
        (lambda: ValveSetting(mode="simple", time=1, contact_force=1), "given twice"),
        (
            lambda: plant_of("simple", ValveSetting(mode="complete", contact_force=1)),
            "plant.valves: no surface; expected one",
        ),
    ],
)
def test_valves_that_make_no_sense_are_refused(make, words):
    with pytest.raises(gough.GoughError, match=words):
        make()


def test_a_stage_without_a_damper_cannot_be_locked():
    robot = ROBOT.replace({"leg.connector.coupling": {"stiffness": 5e5}})
    words = r"valves: nothing to lock; expected .* in the connector of leg 1"
    with pytest.raises(gough.InputError, match=words):
        real_plant(robot, legs="simple", valves=[at(1, "low-frequency")], **BARE)


def test_valves_need_steps_of_rk4():
    plant = plant_of("simple", at(0.001, "complete"))
    scenario = Scenario(
        ROBOT,
        computed_torque(400, 40),
        hold(ROBOT.home, 0.002),
        plant=plant,
        integrator=Adaptive("RK45", 1e-6, 1e-8),
    )
    with pytest.raises(gough.GoughError, match="valves change their mode at steps of RK4"):
        simulate(scenario)


def test_steps_that_are_too_long_for_a_later_mode_are_refused():
    """Pistons on K_L swing at 400 Hz, beside dampers of coupling stages a little faster."""
    soft, stiff = (
        Scenario(
            ROBOT,
            gough.simulation.open_loop(),
            hold(ROBOT.home, 0.02),
            plant=plant_of("simple", *valves),
            sampling=Sampling(1.05e-3, 1),
        )
        for valves in ((), [at(0.01, "low-frequency")])
    )
    simulate(soft)
    with pytest.raises(StepTooLarge):
        simulate(stiff)
