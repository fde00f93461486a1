"""A hexapod learns to balance a ball on its platform, by an evolution strategy in NumPy.

The policy is linear: two tilts from ten numbers that are observed. Each generation tries random
changes of it, in pairs of opposite sign, on the same random starts, and moves along the changes
that were better [Salimans et al. 2017, Evolution strategies as a scalable alternative to
reinforcement learning; Mania et al. 2018, Simple random search]. All episodes of a generation are
simulated together, with the whole dynamics of machine and ball.

    python examples/learning/ball_balancing.py [FOLDER [TASK]]

writes the policy, a page in which it acts, and its learning curve. TASK is any other one of the
library, or a study file.
"""

import json
import sys
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from gough.errors import GoughError
from gough.learning import Episodes, LearningTask
from gough.workbench import LinearPolicy, write_workbench

PAIRS, STARTS = 24, 4  # changes that are tried, and episodes of each
SIZE, RATE, BEST = 0.1, 0.15, 12  # of a change, of learning, and how many pairs are learned from
GENERATIONS = 20


def acted(policies, seen):
    """Actions (p, k, 2) of policies (p, 2, n) at observations (p, k, n)."""
    return np.tanh(np.einsum("pan,pkn->pka", policies, seen))


def returns(task, policies, starts, seed):
    """Mean sum of rewards of each policy, over the same random starts for all."""
    count = len(policies)
    episodes = Episodes(task, count * starts)
    episodes.rngs = [np.random.default_rng([seed, k % starts]) for k in range(count * starts)]
    seen = episodes.reset(np.arange(count * starts))
    total, alive = np.zeros(count * starts), np.ones(count * starts, bool)
    for _ in range(task.length):
        actions = acted(policies, seen.reshape(count, starts, -1)).reshape(count * starts, -1)
        seen, reward, ended, _, _ = episodes.step(actions)
        total += alive * reward
        alive &= ~ended
        if not alive.any():
            break
    return total.reshape(count, starts).mean(axis=1)


def learned(task, generations=GENERATIONS, pairs=PAIRS, starts=STARTS, seed=0, report=print):
    """The policy after some generations, and the mean return of the policy before each."""
    rng, best = np.random.default_rng(seed), min(BEST, pairs)
    policy = np.zeros((len(task.action_names), len(task.observation_names)))
    curve = []
    for generation in range(generations):
        changes = rng.standard_normal((pairs, *policy.shape))
        tried = np.concatenate([policy + SIZE * changes, policy - SIZE * changes, policy[None]])
        found = returns(task, tried, starts, seed=generation)
        ahead, back, own = found[:pairs], found[pairs:-1], found[-1]
        curve.append(own)
        report(f"generation {generation:2}: {own:7.1f}")
        chosen = np.argsort(np.maximum(ahead, back))[-best:]
        gains = ahead[chosen] - back[chosen]
        spread = np.concatenate([ahead[chosen], back[chosen]]).std() + 1e-9
        policy = policy + RATE / (best * spread) * np.einsum("p,pan->an", gains, changes[chosen])
    return policy, curve


def draw(curve, file):
    """The learning curve as a picture."""
    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    axes.plot(curve, color="#1f6feb", marker="o", markersize=3)
    axes.set(xlabel="generation", ylabel="return")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(alpha=0.3)
    figure.savefig(file)


def main(folder, name):
    """Learn, test on new starts, and write what was found."""
    task, began = LearningTask.load(name), time.perf_counter()
    policy, curve = learned(task)
    took = time.perf_counter() - began
    before, after = returns(task, np.stack([0 * policy, policy]), 100, seed=12345)
    print(f"{name}, 100 new starts: {before:.1f} without, {after:.1f} with a policy; {took:.0f} s")
    folder.mkdir(parents=True, exist_ok=True)
    names = {"observations": task.observation_names, "actions": task.action_names}
    (folder / "policy.json").write_text(json.dumps(names | {"weights": policy.tolist()}, indent=1))
    draw(curve, folder / "curve.svg")
    try:
        shown = LinearPolicy(task, policy)
        write_workbench(task.study.robot, folder / "page.html", policy=shown, overwrite=True)
    except GoughError as error:
        print(f"no page: {error}")


if __name__ == "__main__":
    given = dict(enumerate(sys.argv[1:]))
    main(Path(given.get(0, "ball-balancing")), given.get(1, "ball-on-plate"))
