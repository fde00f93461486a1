"""Environments: gymnasium's own checks, seeds, vectors with the same bits, ends, bad input."""

import runpy
import sys
import tomllib
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from gpu_stand_in import stand_in

import gough
from gough.errors import GoughError
from gough.learning import Episodes, LearningTask, task_names
from gough.learning.declared import LIBRARY

ROOT = Path(__file__).parents[2]
WORDS = "pip install gymnasium"
TINY = {
    "schema": "gough-study/1",
    "name": "tiny",
    "robot": "delta",
    "motion": {"kind": "line", "displacement": [0.02, 0, 0], "duration": 0.1},
    "controller": {"kind": "computed-torque", "frequency": "8 Hz"},
    "simulation": {"period": "2 ms", "angle_noise": 1e-5},
    "learning": {
        "steps": 5,
        "action": {
            "kind": "reference", "components": ["x", "y"], "limit": "10 mm", "bandwidth": 5,
        },
        "observation": [{"of": "position_error", "scale": "1 mm"}, {"of": "joint_speed_target"}],
        "reward": [{"of": "position_error", "kind": "absolute", "weight": 2}],
        "termination": [{"of": "position_error", "above": "6 mm", "reward": -3}],
        "targets": [{"of": "joint_speed", "low": 1, "high": [2, 3, 4], "every": "30 ms"}],
        "randomised": {"platform.mass": [0.5, 1.5], "position": [0, ["2 mm", 0, "1 mm"]]},
    },
}  # fmt: skip


QUIET = {"simulation": {"period": "2 ms"}}


def changed(**keys):
    return TINY | {"learning": TINY["learning"] | keys}


def with_length_beside_a_part():
    data = tomllib.loads((LIBRARY / "pick-and-place.toml").read_text())
    data["learning"]["randomised"]["leg.links[0].length"] = [0.52, 0.53]
    return data


@pytest.fixture(scope="module")
def tiny():
    return LearningTask.load(TINY)


def rollout(env, actions, seed):
    seen, _ = env.reset(seed=seed)
    found = [seen]
    for action in actions:
        seen, reward, ended, late, _ = env.step(action)
        found.append([*seen, reward, ended, late])
    return np.concatenate(found)


def test_gymnasium_finds_nothing_wrong(tiny):
    pytest.importorskip("gymnasium", reason=WORDS)
    from gymnasium.utils.env_checker import check_env

    check_env(gough.learning.environment(tiny), skip_render_check=True)


def test_a_vector_has_the_bits_of_single_environments(tiny):
    """Also after episodes ended, with noise of encoders, and of whatever seed."""
    pytest.importorskip("gymnasium", reason=WORDS)
    actions = np.random.default_rng(0).uniform(-1, 1, (14, 3, 2))
    vector = gough.learning.environment(tiny, count=3)
    first, found = vector.reset(seed=7)[0], []
    for action in actions:
        seen, *others, info = vector.step(action)
        found.append(np.column_stack([seen, *others, info["failed"]]))
    assert np.array(found)[..., -3:-1].any()
    for k in range(3):
        env = gough.learning.environment(tiny)
        np.testing.assert_array_equal(env.reset(seed=7 + k)[0], first[k])
        seen, over = [], False
        for action in actions[:, k]:
            if over:  # the next step begins anew, whatever the action
                seen.append([*env.reset()[0], 0, 0, 0, 0])
                over = False
                continue
            row, *others, info = env.step(action)
            over = any(others[1:])
            seen.append([*row, *others, info["failed"]])
        np.testing.assert_array_equal(np.array(seen), np.array(found)[:, k])


def test_episodes_draw_lengths_of_mechanisms():
    """With the robot's own they are those of the robot; with longer arms they are not."""
    pytest.importorskip("gymnasium", reason=WORDS)
    actions = np.random.default_rng(0).uniform(-1, 1, (4, 2))

    def found(name, value):
        task = LearningTask.load(changed(randomised={name: [value, value]}) | QUIET)
        return rollout(gough.learning.environment(task), actions, seed=3)

    own = found("platform.mass", 0.9)
    same, longer = (found("leg.links[0].length", x) for x in (0.524, 0.53))
    np.testing.assert_allclose(same, own, rtol=1e-9, atol=1e-9)
    assert np.abs(longer - own).max() > 1e-3


def test_encoders_begin_at_the_joints_of_an_episode():
    """With longer arms these are elsewhere: speeds, differences of readings, are zero at rest."""
    longer = gough.Model(gough.load("delta").replace({"leg.links[0].length": 0.53}))
    encoders = {"simulation": {"period": "2 ms", "speed_filter": "2 ms"}}
    task = LearningTask.load(changed(randomised={"leg.links[0].length": [0.53, 0.53]}) | encoders)
    state, _ = task.begin(np.random.default_rng(0))
    *_, at_sensors, _ = task.run.loop.parts
    readings, speeds = np.split(state[task.equations.parts["memory"]][at_sensors], 2)
    expected = longer.inverse_kinematics(task.run.initial[0])
    np.testing.assert_allclose(readings, expected, atol=1e-12)
    np.testing.assert_array_equal(speeds, 0.0)


def test_environments_show_their_task():
    pytest.importorskip("gymnasium", reason=WORDS)
    one, many = (gough.learning.environment("ball-on-plate", count=n) for n in (None, 3))
    facts = "ball-on-plate of kalani-2016: rx, ry -> 10 observations, 250 actions of 0.02 s"
    assert repr(one) == str(one) == f"<gough environment {facts}>"
    assert repr(many) == f"<gough environments {facts}; 3 on the CPU>"


def test_a_step_has_the_operations_of_its_samples():
    """The force of a ball, solved with the platform's motion, is not one through all samples."""
    task = LearningTask.load("ball-on-plate")
    routines = {routine.name: routine for routine in task.step.program.routines()}
    samples = task.learning.steps * routines["environment_sample"].n_operations
    assert samples < task.step.program.n_operations < 1.1 * samples


def test_seeds_reproduce_and_differ(tiny):
    pytest.importorskip("gymnasium", reason=WORDS)
    env, actions = gough.learning.environment(tiny), np.zeros((4, 2))
    first = rollout(env, actions, 5)
    np.testing.assert_array_equal(rollout(env, actions, 5), first)
    assert (rollout(env, actions, 6) != first).any()


def test_an_environment_is_the_simulation_of_its_study():
    """With an action of zero and nothing random: the run of `gough run`, sample by sample."""
    seen = [{"of": "position"}, {"of": "command"}]
    still = LearningTask.load(changed(randomised={}, observation=seen) | QUIET)
    run = gough.run({key: x for key, x in TINY.items() if key != "learning"} | QUIET)
    episodes = Episodes(still, 1)
    episodes.reset(np.arange(1))
    for k in range(still.length):
        found = episodes.step(np.zeros((1, 2)))
        at = 5 * (k + 1)
        np.testing.assert_allclose(found.observation[0, :3], run["pose"][at, :3], atol=1e-13)
        np.testing.assert_allclose(found.observation[0, 3:], run["command"][at - 1], atol=1e-10)
    assert found.truncated == [True]


def test_actions_displace_the_reference_smoothly(tiny):
    """After long enough the platform is where the action says, by the filter's step response."""
    still = changed(randomised={}, duration=1.5, observation=[{"of": "position"}])
    held = LearningTask.load(still | QUIET | {"motion": {"kind": "hold", "duration": 2}})
    episodes = Episodes(held, 1)
    start = episodes.reset(np.arange(1))[0]
    for _ in range(100):
        found = episodes.step(np.array([[1.0, -5.0]]))  # what is beyond 1 counts as 1
    np.testing.assert_allclose(found.observation[0] - start, [0.01, -0.01, 0], atol=1e-6)


def test_rewards_and_ends_are_those_that_were_declared(tiny):
    episodes = Episodes(tiny, 2)
    episodes.reset(np.arange(2))
    ended = []
    for _ in range(10):
        found = episodes.step(np.ones((2, 2)))
        error = np.linalg.norm(found.observation[:, :3] * 1e-3, axis=-1)
        ended.append(over := error > 0.006)
        np.testing.assert_allclose(found.reward, -2 * error - 3 * over, atol=1e-12)
        np.testing.assert_array_equal(found.terminated, over)
        np.testing.assert_array_equal(found.observation[:, 3:], episodes.episode[:, 1:])
    assert 0 < np.mean(ended) < 1
    assert not found.failed.any()


def test_a_run_that_diverges_ends_with_finite_numbers(tiny):
    episodes = Episodes(tiny, 2)
    episodes.reset(np.arange(2))
    episodes.state[0, 9] = np.nan
    found = episodes.step(np.zeros((2, 2)))
    assert found.failed.tolist() == found.terminated.tolist() == [True, False]
    assert np.isfinite(found.observation).all()
    assert np.isfinite(found.reward).all()


def test_a_gpu_gets_the_same_numbers(tiny, monkeypatch):
    """On a stand-in for CuPy, which runs the CUDA text on this processor."""
    monkeypatch.setitem(sys.modules, "cupy", stand_in())
    found = []
    for device in ("cpu", "gpu"):
        episodes = Episodes(tiny, 3, device)
        episodes.rngs = [np.random.default_rng(k) for k in range(3)]
        episodes.reset(np.arange(3))
        found.append([episodes.step(np.full((3, 2), 0.3)) for _ in range(5)][-1])
    for x, y in zip(*found, strict=True):
        np.testing.assert_allclose(np.asarray(x, float), np.asarray(y, float), atol=1e-9)


def test_a_vector_steps_on_a_gpu(tiny, monkeypatch):
    pytest.importorskip("gymnasium", reason=WORDS)
    monkeypatch.setitem(sys.modules, "cupy", stand_in())
    found = []
    for device in ("cpu", "gpu"):
        vector = gough.learning.environment(tiny, count=2, device=device)
        vector.reset(seed=[3, 4])
        steps = [vector.step(np.full((2, 2), 0.3))[:4] for _ in range(12)]  # also begun anew
        found.append([np.asarray(part, float) for step in steps for part in step])
    for x, y in zip(*found, strict=True):
        np.testing.assert_allclose(x, y, atol=1e-9)


def stepped(task, state, episode, action):
    """Return new state and outcome of an action, without compiling them."""
    rows = ca.DM(task.run.reference[: task.learning.steps + 1])
    noise = ca.DM.zeros(task.equations.arguments["noise"].shape)
    found = task.equations.step(ca.DM(state), ca.DM(action), rows, ca.DM(episode), noise)
    return [np.array(ca.evalf(ca.SX(x))).ravel() for x in found]


def test_an_action_waits_with_the_command_that_it_is_added_to():
    late = {"simulation": {"period": "2 ms", "delay": 1}}
    task = LearningTask.load(changed(steps=1, action={"kind": "command", "limit": 2}) | late)
    state, episode = task.begin(np.random.default_rng(1))
    at, ways = task.equations.parts["command"], []
    for first in (0, 1):
        once, *_ = stepped(task, state, episode, [first] * 3)
        ways.append([once[at], stepped(task, once, episode, [0] * 3)[0][at]])
    np.testing.assert_allclose(ways[1][0], ways[0][0], atol=1e-12)
    np.testing.assert_allclose(ways[1][1] - ways[0][1], 2, atol=1e-9)


def test_a_part_is_carried_and_weighs():
    """Where the gripper comes near it slowly; then the machine is heavier than its controller."""
    pick = LearningTask.load("pick-and-place")
    episodes = Episodes(pick, 2)
    episodes.reset(np.arange(2))
    place = pick.equations.parts["part"]
    episodes.state[0, place][:3] = pick.run.initial[0][:3] + [0.005, 0, 0]
    for _ in range(25):
        found = episodes.step(np.zeros((2, 3)))
    names = list(pick.observation_names)
    assert found.observation[:, names.index("carried")].tolist() == [1, 0]
    sag = 0.2 * found.observation[:, names.index("position_error_3")]
    assert sag[0] > 1e-4
    assert abs(sag[1]) < 1e-9


@pytest.mark.parametrize("name", task_names())
def test_tasks_of_the_library_are_read(name):
    """Their kernels are compiled where they are used; equations are made and stepped here."""
    made = LearningTask.load(name)
    state, episode = made.begin(np.random.default_rng(1))
    assert np.isfinite([*state, *episode]).all()
    assert made.equations.arguments["action"].size == len(made.action_names)
    assert len(made.observation_names) > 4
    assert made.length > 10
    new, seen, reward, over, failed = stepped(made, state, episode, [0] * len(made.action_names))
    assert np.isfinite([*new, *seen, *reward]).all()
    assert [*over, *failed] == [0, 0]
    if name == "ball-on-plate":  # legs pull the platform down, away from the ball
        new[made.equations.parts["command"]] = -200
        given = map(ca.DM, (new, made.run.reference[0], episode))
        assert [float(ca.evalf(ca.SX(x))) for x in made.equations.outcome(*given)[2:]] == [1, 1]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            changed(observation=[{"of": "positon"}]),
            r"observation\[0\].of: unknown signal.*position",
        ),
        (changed(observation=[{"of": "position", "scale": "1 kg"}]), r"scale: .*a mass"),
        (changed(observation=[{"of": "position", "scale": 0}]), r"scale: not above 0"),
        (changed(observation=[]), r"learning.observation"),
        (changed(reward=[{"of": "ball_position"}]), r"reward\[0\].of: unknown signal"),
        (changed(termination=[{"of": "position"}]), r"termination\[0\].above: given twice or not"),
        (changed(targets=[{"of": "joint_speed", "low": 2, "high": 1}]), r"minimum is above"),
        (changed(targets=[{"of": "joint_speed", "low": [0, 0], "high": 1}]), r"one number, or 3"),
        (changed(randomised={"mass": [0, 1]}), r"randomised: cannot vary 'mass'"),
        (changed(randomised={"platform.mass": [0, 1, 2]}), r"randomised"),
        (changed(randomised={"platform.mass": ["-5 kg", "-1 kg"]}), r"platform.mass: out of range"),
        (
            changed(randomised={"home.x": [0, 1]}) | QUIET | {"robot": "demo-hexapod"},
            r"home.x: without effect on an episode",
        ),
        (
            changed(randomised={"legs[0].stroke.longest": [0, 1]})
            | QUIET
            | {"robot": "demo-hexapod"},
            r"stroke.longest: without effect on an episode",
        ),
        (
            changed(targets=2 * TINY["learning"]["targets"]),
            r"targets\[1\].of: given twice",
        ),
        (changed(part={"mass": 1, "grip_distance": 1, "grip_speed": 1}), r"part_position: missing"),
        (TINY | {"simulation": {"imu": {}}}, r"simulation.imu: not used by environments"),
        (
            changed(observation=[{"of": "specific_force"}])
            | {"plant": {"floating_base": {"mass": 9, "inertia": [1, 1, 1]}}},
            r"unknown signal",
        ),
        (changed(randomised={"rotation": [0, "1 mrad"]}), r"the platform cannot be at"),
        (changed(steps=0), r"learning.steps: out of range"),
        (with_length_beside_a_part(), r"learning.randomised: lengths of a mechanism"),
        (changed(action={"kind": "command", "limit": [1, 2]}), r"limit: 2 numbers"),
        (changed(action={"kind": "command", "limit": 1, "components": ["x"]}), r"not used"),
        (
            changed(action={"kind": "reference", "limit": 1, "components": ["rz"], "bandwidth": 5}),
            r"components: no such degree of freedom",
        ),
        (
            changed(randomised={}) | {"robot": "five-bar"},
            r"kind: coordinates of five-bar depend on each other",
        ),
        (changed() | {"learning": {}}, r"learning.action: missing"),
        ({key: x for key, x in TINY.items() if key != "learning"}, r"learning: missing"),
        (TINY | {"tasks": [{"kind": "constant", "force": [1, 0, 0]}]}, r"tasks: not used"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_key(data, said):
    with pytest.raises(GoughError, match=said):
        LearningTask.load(data)


def test_bad_calls_are_refused(tiny):
    with pytest.raises(GoughError, match=r"no task is called 'ball'"):
        LearningTask.load("ball")
    with pytest.raises(GoughError, match=r"device: unknown, got 'tpu'; expected cpu or gpu"):
        Episodes(tiny, 2, "tpu")
    with pytest.raises(GoughError, match=r"task is 'tiny'; expected a gough\.learning\.LearningT"):
        Episodes("tiny", 2)
    with pytest.raises(GoughError, match=r"1,000,000,000,000 episodes need about .* of memory"):
        Episodes(tiny, 10**12)
    with pytest.raises(GoughError, match=r"before an episode has begun; expected reset first"):
        Episodes(tiny, 2).step(np.zeros((2, 2)))
    pytest.importorskip("gymnasium", reason=WORDS)
    with pytest.raises(GoughError, match=r"count"):
        gough.learning.environment(tiny, count=0)
    env = gough.learning.environment(tiny)
    with pytest.raises(GoughError, match=r"expected reset first"):
        env.step(np.zeros(2))
    env.reset()
    for seed in (-1, 0.5, "ab"):
        with pytest.raises(GoughError, match="seed"):
            gough.learning.environment(tiny, count=2).reset(seed=[seed, 1])
    with pytest.raises(GoughError, match=r"3 seeds; expected one, or 2"):
        gough.learning.environment(tiny, count=2).reset(seed=(1, 2, 3))
    for wrong in (np.zeros(3), [np.nan, 0], [[0, 0]], ["a", "b"], None):
        with pytest.raises(GoughError, match=r"expected \(2,\) numbers"):
            env.step(wrong)
    with pytest.raises(GoughError, match=r"a count of environments"):
        gough.learning.environment("ball-on-plate", device="gpu")


def test_without_gymnasium_an_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "gough.learning.environments", raising=False)
    with pytest.raises(GoughError, match=r"need the package gymnasium; expected .*pip"):
        gough.learning.environment("ball-on-plate")


def test_the_example_learns():
    """Few and small generations: the policy is better than none, by far."""
    example = runpy.run_path(str(ROOT / "examples" / "learning" / "ball_balancing.py"))
    data = tomllib.loads((LIBRARY / "ball-on-plate.toml").read_text("utf-8"))
    ball = LearningTask.load(data | {"learning": data["learning"] | {"duration": 1}})
    policy, curve = example["learned"](ball, 4, 6, 2, report=lambda _: None)
    before, after = example["returns"](ball, np.stack([0 * policy, policy]), 4, seed=99)
    assert after > before + 5
    assert len(curve) == 4
