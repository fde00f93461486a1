"""A learned policy in the workbench: the page takes the steps that Python takes."""

import numpy as np
import pytest
from browser import open_context

import gough
from gough.errors import GoughError
from gough.learning import Episodes, LearningTask
from gough.workbench import LinearPolicy, workbench_page

SIZE = {"kind": "reference", "components": ["x", "y"], "limit": "10 mm", "bandwidth": 5}
TASK = {
    "schema": "gough-study/1",
    "name": "tiny",
    "robot": "delta",
    "motion": {"kind": "line", "displacement": [0.02, 0, 0], "duration": 0.2},
    "controller": {"kind": "computed-torque", "frequency": "8 Hz"},
    "simulation": {"period": "2 ms"},
    "learning": {
        "steps": 5,
        "action": SIZE,
        "observation": [{"of": "position_error", "scale": "1 mm"}],
        "reward": [{"of": "position_error", "kind": "absolute", "weight": 1000}],
        "randomised": {"platform.mass": [0.5, 1.5]},
    },
}
WEIGHTS = np.array([[0.3, 0.1, 0], [-0.2, 0.4, 0.1]])


@pytest.fixture(scope="module")
def policy():
    return LinearPolicy(LearningTask.load(TASK), WEIGHTS)


def test_the_page_takes_the_steps_of_python(policy, browser, tmp_path):
    """Two of its episodes: the same returns, and the same last poses."""
    from conftest import Bench

    path = tmp_path / "delta.html"
    path.write_text(workbench_page(gough.load("delta"), policy=policy), encoding="utf-8")
    bench = Bench(open_context(browser), path, "delta")
    try:
        for seed in range(2):
            episodes = Episodes(policy.task, 1)
            episodes.rngs = [np.random.default_rng(seed)]
            seen, total = episodes.reset(np.arange(1)), 0.0
            for _ in range(policy.task.length):
                seen, reward, *_ = episodes.step(np.tanh(seen @ WEIGHTS.T))
                total += reward[0]
            played = bench.do("() => window.gough.playEpisode()")
            assert played == pytest.approx(total, rel=1e-9)
            np.testing.assert_allclose(bench.pose, episodes.state[0, :7], atol=1e-10)
        assert "return" in bench.tab.locator("text=Policy for tiny >> xpath=..").inner_text()
        bench.do(
            "() => { const g = window.gough, p = Float64Array.from(g.data.parameters);"
            " p[0] += 1; g.change({ parameters: p }); }"
        )
        assert bench.tab.locator("text=Next start").is_disabled()
        assert bench.complaints() == []
    finally:
        bench.tab.context.close()


def test_what_a_page_cannot_play_is_refused(policy):
    with pytest.raises(GoughError, match=r"weights: shape \(2, 2\); expected \(2, 3\)"):
        LinearPolicy(policy.task, np.zeros((2, 2)))
    with pytest.raises(GoughError, match=r"a policy for delta, not for five-bar"):
        workbench_page(gough.load("five-bar"), policy=policy)
    learning = TASK["learning"] | {
        "targets": [{"of": "position", "low": 0, "high": 1, "every": "0.1 s"}]
    }
    with pytest.raises(GoughError, match=r"a page draws no random numbers"):
        LinearPolicy(LearningTask.load(TASK | {"learning": learning}), WEIGHTS)
