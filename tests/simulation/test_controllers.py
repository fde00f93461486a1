"""Controllers: they track, they meet the laws they are made for, and they export to C."""

import numpy as np
import pytest
from compiled_c import QUICK, built, pointers, shown_by_example
from simulated_motions import screw_motion

import gough
from gough.compiler.native.kernel import Kernel
from gough.errors import GoughError
from gough.exchange.source import export_controller, first_sample
from gough.motion import Constant
from gough.motion.motions import screws
from gough.motion.profiles import Quintic
from gough.simulation import (
    Sensors,
    WorkSurface,
    active_damping,
    admittance,
    computed_torque,
    feed_forward,
    gravity_feed_forward,
    hybrid_force,
    implicit_force,
    joint_pid,
    open_loop,
    pd_gravity,
    real_plant,
    rigid_plant,
)
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.paths import Stepper
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import simulate

CONTROLLERS = {
    "joint_pid": joint_pid(4e5, 8e3, 4e6),
    "pd_gravity": pd_gravity(4e5, 8e3),
    "feed_forward": feed_forward(4e5, 8e3),
    "gravity_feed_forward": gravity_feed_forward(4e5, 8e3),
    "computed_torque_joint": computed_torque(3600, 120),
    "computed_torque_task": computed_torque(3600, 120, space="task"),
    "admittance": admittance(200, 2000, 5000, 3600, 120),
}
MIRROR = WorkSurface(
    point=(0, 0, 0.9), normal=(0, 0, -1), stiffness=1, kind="sphere", radius=0.8, concave=True
).contact  # the tool is inside
EXPORTED = CONTROLLERS | {
    "open_loop": open_loop(),
    "admittance_drives": admittance(200, 2000, 5000, 3600, 120, drives=True),
    "feed_forward_drives": feed_forward(4e5, 8e3, drives=True),
    "computed_torque_drives": computed_torque(900, 60, drives=True),
    "computed_torque_task_drives": computed_torque(900, 60, space="task", drives=True),
    "active_damping": active_damping(4e6, 2e3, 50, leak=2),
    "hybrid_force": hybrid_force(
        [0, 0, 50, 0, 0, 0], [1, 0, 1, 0, 0, 0], 900, 60, 5, 2e4, surface=MIRROR
    ),
    "implicit_force": implicit_force(
        [0, 0, 50, 0, 0, 0], [0, 0, 1, 0, 0, 0], 5e5, 2e5, 2e3, 1e6, stiffness=1e5, damping=2e3
    ),
}
SHOWN = (
    "joint_pid",
    "computed_torque_drives",
    "active_damping",
    "hybrid_force",
    "open_loop_voltage",
)
"""Of every kind of state and command: what is printed is written by the same lines for all."""
BOUNDS = {"joint_pid": 1e-3, "pd_gravity": 1e-3}


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


@pytest.mark.parametrize("name", CONTROLLERS)
def test_controllers_track_a_motion(robot, name):
    motion = screw_motion(robot)
    results = simulate(Scenario(robot, CONTROLLERS[name], motion))
    errors = np.abs(results["pose_error"])
    assert results.study["run"]["ended"] == {"kind": "completed"}
    assert len(results) == 1001
    assert errors.max() < BOUNDS.get(name, 5e-5)
    moved = np.abs(results["leg_length"] - results["leg_length"][0]).max()
    assert moved > 0.03  # it did move


@pytest.mark.parametrize("space", ["joint", "task"])
def test_errors_under_computed_torque_are_those_of_an_oscillator(robot, space):
    """ë + kd ė + kp e = 0: critically damped, e = e₀ (1 + ω t) exp(-ω t)."""
    w = 20.0
    rest = screws.hold(robot.home, 0.4)
    start = np.array(robot.home) + [1e-3, -5e-4, 8e-4, 0, 0, 0, 0]
    controller = computed_torque(w * w, 2 * w, space=space)
    results = simulate(Scenario(robot, controller, rest, start=start, sampling=Sampling(2e-4)))
    t = results.time
    expected = (1 + w * t) * np.exp(-w * t)
    error = results["pose_error"][:, :3] / (-1e-3 * np.array([1, -0.5, 0.8]))
    np.testing.assert_allclose(error, np.stack([expected] * 3, -1), atol=0.01)


def test_pose_is_estimated_from_the_legs_within_a_nanometre(robot):
    motion = screw_motion(robot, duration=0.5)
    loop = ClosedLoop(rigid_plant(robot), CONTROLLERS["computed_torque_joint"], robot)
    time = 1e-3 * np.arange(501)
    samples = motion(time)
    runs = loop.run(loop.start(samples.pose[0]), np.concatenate(samples, axis=-1))
    state, controller, _, _ = loop.parts
    estimates = runs.memory[1:, 0, controller][:, :7]  # of the sample before
    poses = runs.memory[:-1, 0, state][:, :7]
    assert np.abs(estimates - poses).max() < 1e-9


def test_integral_action_removes_the_sag_of_an_unknown_payload(robot):
    from gough.motion import Payload

    rest, heavy = screws.hold(robot.home, 1.5), [Payload(60.0, (0.1, 0.0, 0.2))]
    sag = simulate(Scenario(robot, pd_gravity(4e5, 8e3), rest, tasks=heavy))["leg_length_error"]
    results = simulate(Scenario(robot, joint_pid(4e5, 8e3, 4e6), rest, tasks=heavy))
    assert np.abs(sag[-1]).max() > 2e-4
    assert np.abs(results["leg_length_error"][-1]).max() < 1e-6


def test_anti_windup_keeps_the_integral_from_growing_at_the_limit(robot):
    """Legs too weak to lift: with the limit removed the integral would go on for ever."""
    data = robot.to_dict()
    data["leg"] = {**data["leg"], "max_force": 330.0}
    weak = gough.Robot.from_dict(data)
    loop = ClosedLoop(rigid_plant(weak), joint_pid(4e5, 8e3, 4e7), weak)
    target = np.array(robot.home) + [0, 0, 0.05, 0, 0, 0, 0]
    reference = np.broadcast_to(np.concatenate([target, np.zeros(12)]), (200, 19))
    runs = loop.run(loop.start(robot.home), reference)
    integral = runs.memory[:, 0, loop.parts[1]]
    assert np.abs(runs.command).max() == pytest.approx(330.0)
    q = gough.Model(weak).inverse_kinematics(runs.memory[:, 0, :7])
    errors = gough.Model(weak).inverse_kinematics(target) - q
    without = 4e7 * 1e-3 * np.abs(errors.sum(axis=0)).max()
    assert without > 1e5
    assert np.abs(integral).max() < 1000.0


def test_a_platform_under_admittance_yields_like_a_spring(robot):
    rest = screws.hold(robot.home, 3.0)
    push = Constant((50.0, 0.0, 0.0))
    results = simulate(Scenario(robot, admittance(100, 2000, 5000, 3600, 120), rest, tasks=[push]))
    assert results["pose_error"][-1, 0] == pytest.approx(-50 / 5000, rel=1e-3)
    assert np.abs(results["pose_error"][-1, 1:]).max() < 1e-5


def test_delay_noise_and_encoder_steps_cost_accuracy(robot):
    motion = screw_motion(robot)
    controller = computed_torque(900, 60)

    def error(**how):
        return np.abs(simulate(Scenario(robot, controller, motion, **how))["pose_error"]).max()

    ideal = error()
    assert error(sampling=Sampling(1e-3, delay=2)) > 1.5 * ideal
    steps = error(sensors=Sensors(resolution=1e-5, speed_filter=2e-3))
    noisy = error(sensors=Sensors(noise=1e-5, speed_filter=2e-3))
    assert ideal < steps < 1e-3
    assert ideal < noisy < 1e-3


def test_speeds_from_differences_are_nearly_the_true_ones(robot):
    motion = screw_motion(robot)
    controller = computed_torque(900, 60)
    exact = simulate(Scenario(robot, controller, motion))
    differenced = simulate(Scenario(robot, controller, motion, sensors=Sensors(speed_filter=0.0)))
    np.testing.assert_allclose(differenced["pose"], exact["pose"], atol=2e-4)


def test_noise_is_the_same_for_the_same_seed(robot):
    motion, controller = screw_motion(robot, duration=0.1), computed_torque(900, 60)
    sensors = Sensors(noise=1e-5, speed_filter=2e-3)
    a, b, c = (
        simulate(Scenario(robot, controller, motion, sensors=sensors, rng=seed))["pose"]
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(a, b)
    assert np.abs(a - c).max() > 0


@pytest.mark.parametrize("name", EXPORTED)
def test_the_controller_in_c_gives_the_simulated_controllers_outputs(robot, name, tmp_path):
    controller = EXPORTED[name]
    period = 1e-3
    export_controller(controller, tmp_path, robot=robot, period=period)
    function = built(tmp_path, "controller")
    plant = rigid_plant(robot)
    if controller.springs:
        plant = real_plant(robot, legs=controller.springs.modes[0], drives=False, stops=False)
    loop = ClosedLoop(plant, controller, robot)
    motion = screw_motion(robot, duration=0.3)
    samples = motion(period * np.arange(301))
    wrench = np.random.default_rng(0).normal(scale=10, size=(301, 6))
    reference = np.concatenate(samples, axis=-1)
    runs = loop.run(
        loop.start(samples.pose[0]), reference, wrench=(wrench, np.roll(wrench, -1, axis=0))
    )
    in_plant, control, _, _ = loop.parts
    gains = controller.gain_values(plant.actuators)
    if name == "hybrid_force":  # the integral of both forces, wanted or zero, changes
        assert np.ptp(runs.memory[:, 0, control][:, [-6, -4]], axis=0).min() > 0.1
    kept = np.ascontiguousarray(runs.memory[:301, 0, control])
    measurement = plant.measured_kernel(runs.memory[:300, 0, in_plant], wrench[:300])
    command, new = np.empty((300, 6)), np.empty_like(kept[1:])
    for k in range(300):
        function(*pointers(kept[k], measurement[k], reference[k], gains, command[k], new[k]))
    limited = np.clip(command, -2500, 2500)
    np.testing.assert_allclose(limited, runs.command[:300, 0], rtol=1e-12, atol=2500e-12)
    np.testing.assert_allclose(new, kept[1:], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("machine", "controller"),
    [
        ("demo-hexapod", joint_pid(4e5, 8e3, 4e6)),
        ("demo-hexapod", computed_torque(3600, 120)),
        ("delta", joint_pid(40, 4, 10)),
        ("delta", computed_torque(900, 60)),
    ],
    ids=lambda given: getattr(given, "name", given),
)
def test_a_loop_closed_by_the_controller_in_c_is_the_simulated_one(machine, controller, tmp_path):
    robot = gough.load(machine)
    export_controller(controller, tmp_path, robot=robot, period=1e-3)
    function = built(tmp_path, "controller")
    motion = screws.line(robot.home, [0.03, -0.02, 0.02], Quintic(0.2))
    expected = simulate(Scenario(robot, controller, motion))["pose"]
    assert np.abs(expected[-1] - expected[0]).max() > 0.01
    plant, samples = rigid_plant(robot), motion(1e-3 * np.arange(201))
    stepper = Stepper(plant, 1e-3)
    state = controller.start(plant, samples.pose[0], samples.twist[0])
    gains, command = controller.gain_values(plant.actuators), np.empty(plant.actuators)
    for wanted, pose in zip(np.concatenate(samples, axis=-1), expected, strict=True):
        np.testing.assert_allclose(stepper.state[:7], pose, rtol=0, atol=1e-9)
        function(*pointers(state, stepper.measurement, wanted, gains, command, state))
        stepper.step(command)


def test_hybrid_control_corrects_all_axes_that_push_in_contact(robot):
    """Without a known surface: where any measured component is along its wanted one."""
    selection = np.array([1.0, 0, 1, 0, 0, 0])
    controller = hybrid_force([0, 0, 50, 0, 0, 0], selection, 900, 60, 5, 2e4)
    given = first_sample(controller, robot)
    kernel = Kernel(controller.function(robot, 1e-3, (2500.0,) * 6))
    measured = np.array([3.0, 9, -20, 4, 0, 0])  # the world pushes back
    for wanted_x, wrench, grows in ((0, measured, 1), (-1e-3, measured, 1), (0, -measured, 0)):
        given["gains"][0] = wanted_x
        given["measurement"][12:18] = wrench
        _, state = kernel(*given.values())
        missing = [wanted_x + wrench[0], 0, 50 + wrench[2], 0, 0, 0]
        np.testing.assert_allclose(state[-6:], 5e-3 * grows * np.array(missing), atol=1e-12)


def test_a_sensor_that_fails_does_not_make_actuators_push_as_hard_as_they_can(robot):
    given = first_sample(CONTROLLERS["joint_pid"], robot)
    given["measurement"][2] = np.nan
    kernel = Kernel(CONTROLLERS["joint_pid"].function(robot, 1e-3, (2500.0,) * 6))
    command, _ = kernel(*given.values())
    assert np.isnan(command).all()


@pytest.mark.parametrize("name", SHOWN)
def test_the_exported_example_is_a_valid_first_sample(robot, name, tmp_path):
    """It prints what the Python kernel gives: of a machine at rest, what holds it there."""
    controller = (EXPORTED | {"open_loop_voltage": open_loop(command="voltage")})[name]
    export_controller(controller, tmp_path, robot=robot, period=1e-3)
    shown = np.concatenate(list(shown_by_example(tmp_path, "controller", QUICK).values()))
    given = first_sample(controller, robot)
    kernel = Kernel(controller.function(robot, 1e-3, (2500.0,) * 6))
    command, new_state = kernel(*given.values())
    assert np.isfinite(shown).all()
    np.testing.assert_allclose(shown, np.concatenate([command, new_state]), rtol=1e-12, atol=1e-12)
    pushes = controller.springs or name == "hybrid_force"
    if not pushes:
        np.testing.assert_allclose(new_state, given["state"], rtol=1e-9, atol=1e-9)
    if controller.command.unit == "N" and not pushes:
        holding = gough.Model(robot).inverse_dynamics(robot.home)
        np.testing.assert_allclose(command, holding, rtol=1e-9)


def test_a_controller_in_single_precision_holds_the_machine(robot, tmp_path):
    export_controller(computed_torque(900, 60), tmp_path, robot=robot, period=1e-3, dtype="float32")
    shown = shown_by_example(tmp_path, "controller")
    holding = gough.Model(robot).inverse_dynamics(robot.home)
    np.testing.assert_allclose(shown["command"], holding, rtol=1e-4)
    assert "double" not in (tmp_path / "controller.c").read_text()
    with pytest.raises(GoughError, match="cannot export 'float16'"):
        export_controller(
            computed_torque(900, 60), tmp_path, robot=robot, period=1e-3, dtype="float16"
        )


def test_the_header_says_how_to_begin(robot, tmp_path):
    export_controller(computed_torque(900, 60), tmp_path, robot=robot, period=1e-3)
    text = (tmp_path / "controller.h").read_text()
    assert "The first must be set as" in text
    assert "pose and twist at the last sample; initially those of the platform" in text
    home = ", ".join(repr(float(x)) for x in robot.home)
    assert home in " ".join(text.replace("*", " ").split())
    assert max(map(len, text.splitlines())) < 250
    assert "controller(state, measurement, reference, gains, command, state);" in text
    assert "it reads the elements\n * 0 to 11; others may have any value" in text


def test_a_folder_that_cannot_be_written_is_refused(robot, tmp_path):
    taken = tmp_path / "file"
    taken.write_text("")
    with pytest.raises(GoughError, match="cannot be written"):
        export_controller(computed_torque(900, 60), taken, robot=robot, period=1e-3)


def test_a_controller_is_a_function_of_its_own(robot):
    controller = CONTROLLERS["computed_torque_task"]
    kernel = Kernel(controller.function(robot, 1e-3, (np.inf,) * 6))
    home, zero = np.array(robot.home), np.zeros(6)
    q = gough.Model(robot).inverse_kinematics(home)
    command, _ = kernel(
        np.concatenate([home, zero]),
        np.concatenate([q, zero, zero, zero, zero]),
        np.concatenate([home, zero, zero]),
        controller.gain_values(6),
    )
    holding = gough.Model(robot).inverse_dynamics(home)
    np.testing.assert_allclose(command, holding, rtol=1e-12)


def test_controllers_are_described_by_their_gains():
    coupled = 4e5 * (np.eye(6) + 0.1)
    assert joint_pid(4e5, 8e3, 4e6).description == "PID of the actuators, each for itself"
    assert pd_gravity(coupled, 8e3).description.startswith(
        "PD of the actuators with gains that couple them"
    )
    assert joint_pid(4e5, 8e3, kv=10).description.endswith(
        "without integral part, with velocity feed-forward"
    )


def _with_legs(robot, count):
    """A machine with another number of legs; those behind the sixth stand a little aside."""
    more = [
        leg.model_copy(update={"base": (1.1 * leg.base[0], 0.9 * leg.base[1], leg.base[2])})
        for leg in robot.legs
    ]
    return robot.model_copy(update={"legs": (*robot.legs, *more)[:count]})


@pytest.mark.parametrize("actuators", [3, 8])
def test_gains_are_spread_over_as_many_actuators_as_there_are(robot, actuators):
    n, legs = actuators, np.arange(1.0, actuators + 1)
    one = joint_pid(4e5, np.outer(legs, legs), 4e6)
    arrays = one.gain_arrays(n)
    np.testing.assert_array_equal(arrays["kp"], np.diag([4e5] * n))
    np.testing.assert_array_equal(arrays["kd"], np.outer(legs, legs))
    np.testing.assert_array_equal(one.gain_values(n)[n * n : n * n + n], legs)  # row by row
    assert one.gain_values(n).shape == (4 * n * n,)
    np.testing.assert_array_equal(computed_torque(900, legs).gain_values(n), [900] * n + [*legs])
    assert computed_torque(900, 60, space="task").gain_values(n).shape == (2 * 6,)
    pushing = EXPORTED["implicit_force"].gain_arrays(n)
    assert {name: len(values) for name, values in pushing.items()} == (
        dict.fromkeys(("wrench", "selection", "stiffness", "damping"), 6)
        | dict.fromkeys(("coupling", "kp", "kd", "ki"), n)
    )
    sizes = {name: controller.state_size(n) for name, controller in EXPORTED.items()}
    assert sizes["joint_pid"] == n
    assert sizes["pd_gravity"] == 13
    assert sizes["admittance"] == 13 + 12
    assert sizes["implicit_force"] == 13 + n
    assert sizes["open_loop"] == 1


@pytest.mark.parametrize("actuators", [3, 6, 8])
def test_a_pid_controls_machines_with_any_number_of_actuators(robot, actuators):
    """kp e + kd ė + integral, the lengths being those of the vectors between joint centres."""
    n, rng, period = actuators, np.random.default_rng(actuators), 1e-3
    machine = _with_legs(robot, n)
    kp, kd, ki = (scale * rng.normal(size=(n, n)) for scale in (4e5, 8e3, 4e6))
    controller = joint_pid(kp, kd, ki)
    kernel = Kernel(controller.function(machine, period, (np.inf,) * n))
    place = np.array(robot.home[:3]) + [0.01, -0.02, 0.03]
    ends = np.array([leg.platform for leg in machine.legs]) + place
    length = np.linalg.norm(ends - np.array([leg.base for leg in machine.legs]), axis=1)
    e, e_dot, integral = rng.normal(size=(3, n)) * [[1e-3], [1e-2], [100.0]]
    command, new = kernel(
        integral,
        np.concatenate([length - e, -e_dot, np.zeros(6 + 2 * n)]),
        np.concatenate([place, [1, 0, 0, 0], np.zeros(12)]),
        controller.gain_values(n),
    )
    np.testing.assert_allclose(new, integral + period * ki @ e, rtol=1e-9)
    np.testing.assert_allclose(command, kp @ e + kd @ e_dot + new, rtol=1e-9)


def test_gains_of_another_machine_are_refused_when_the_controller_meets_its_robot(robot, tmp_path):
    of_three = joint_pid(1e5 * np.eye(3), 1e3)
    words = r"gain kp has shape \(3, 3\); expected a number or an array \(6, 6\), because"
    with pytest.raises(GoughError, match=words):
        ClosedLoop(rigid_plant(robot), of_three, robot)
    with pytest.raises(GoughError, match=words):
        of_three.function(robot, 1e-3, (np.inf,) * 6)
    with pytest.raises(GoughError, match=words):
        simulate(Scenario(robot, of_three, screws.hold(robot.home, 0.1)))
    with pytest.raises(GoughError, match=words):
        export_controller(of_three, tmp_path, robot=robot, period=1e-3)
    assert of_three.function(_with_legs(robot, 3), 1e-3, (np.inf,) * 3).outputs[0].shape == (3,)


def test_bad_gains_are_refused():
    with pytest.raises(GoughError, match=r"array \(n, n\) of n actuators, finite"):
        joint_pid(np.ones((3, 6)), 1)
    with pytest.raises(GoughError, match=r"gain mass is .*; expected a number or an array \(f,\)"):
        admittance(np.eye(3), 1, 1, 1, 1)
    with pytest.raises(GoughError, match=r"gain load is .*; expected a number or an array \(n,\)"):
        open_loop(np.eye(6))
    with pytest.raises(GoughError, match="gain kp is not an array of numbers: 'high'"):
        joint_pid("high", 1)
    with pytest.raises(GoughError, match=r"gain kd is \[1, 2\]; expected a number or an array"):
        feed_forward(1, [1, 2])
    with pytest.raises(GoughError, match="gain kp is nan"):
        computed_torque(float("nan"), 1)
    with pytest.raises(GoughError, match="unknown space 'leg'"):
        computed_torque(1, 1, space="leg")
    with pytest.raises(GoughError, match="mass is 0; expected above 0"):
        admittance(0, 1, 1, 1, 1)
