"""The shortest time in which a robot can make a motion, for what its actuators can do."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, numeric
from gough.display.brief import brief
from gough.model.kernels import Kernels, kernels_of
from gough.motion import checked
from gough.motion.checked import MotionError
from gough.motion.motions.sequences import Stretched
from gough.motion.samples import Motion, quiet
from gough.motion.tasks.task import Task, checked_tasks, total_wrench
from gough.robot import Actuator, Robot

SHORTEST, LONGEST = 1e-6, 1e6
MOST_SAMPLES = 10_000_000
LEAST_LIMIT, LEAST_TOLERANCE = 1e-12, 1e-12


class Fastest(NamedTuple):
    """The shortest duration found, the motion, and what does not allow it to be shorter."""

    duration: float
    motion: Motion
    limit: str
    """"speed", "acceleration" or "force"."""
    leg: int
    """Which actuator, counted from 1."""
    time: float
    """When [s]."""
    usage: float
    """The share of that limit in use: just below 1."""

    def __repr__(self) -> str:
        return brief(self)


class _Worst(NamedTuple):
    usage: float
    limit: str
    leg: int
    time: float


def fastest(
    robot: Robot | Kernels,
    motion: Motion | Callable[[float], Motion],
    *,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    force: ArrayLike | None = None,
    tasks: Iterable[Task] = (),
    samples: int = 1001,
    tolerance: float = 1e-6,
) -> Fastest:
    """The shortest duration for which no actuator exceeds its limits, by bisection.

    `motion` is a motion, which is stretched, or a function from a duration [s] to a motion.
    Limits on actuator speed [m/s, rad/s], acceleration [m/s², rad/s²] and force [N, N m] are one
    number or one for each actuator; left out, the robot's own limits hold. They are looked at
    in so many `samples` over the motion. The answer is at most `tolerance` (relative) longer than
    the limit.

    If the way does not depend on the duration and neither do the tasks' wrenches, the forces at a
    place are a + b/T², so a motion that can be made slowly can be made in any longer time: the
    bisection finds the shortest. Otherwise it finds a duration that is allowed, next to one that
    is not.
    """
    model = kernels_of(robot)
    checked.instance(model, Kernels, "model", "a gough.Model")
    model.own_robot("the shortest time", of_forces=True)
    limits = _limits(model.robot.actuators, speed=speed, acceleration=acceleration, force=force)
    of_duration = partial(Stretched, motion) if isinstance(motion, Motion) else _making(motion)
    loads = checked_tasks(tasks)
    expected = f"a whole number from 2 to {MOST_SAMPLES:,}"
    checked.instance(samples, int, "samples", expected)
    checked.number(samples, "samples", least=2, most=MOST_SAMPLES, expected=expected)
    checked.number(tolerance, "tolerance", least=LEAST_TOLERANCE, most=1.0)

    def worst(duration: float) -> _Worst:
        return _worst(model, of_duration(duration), loads, limits, samples)

    with quiet():  # about the trials; the answer's own remain
        low, high = _bracket(worst, model)
        while high - low > tolerance * high:
            middle = (low + high) / 2
            low, high = (low, middle) if worst(middle).usage <= 1.0 else (middle, high)
        found = worst(high)
    return Fastest(high, of_duration(high), found.limit, found.leg, found.time, found.usage)


def _bracket(worst: Callable[[float], _Worst], model: Kernels) -> tuple[float, float]:
    """A duration that is too short, and one, at most twice as long, that is not."""
    high = 1.0
    at_high = worst(high)
    while at_high.usage > 1.0:
        high *= 2
        if high > LONGEST:
            usage, limit, leg, _ = at_high
            name = model.robot.actuators[leg - 1].name
            reason = f"{name} needs {usage:.4g} times its {limit} limit"
            if usage == np.inf:
                reason = "the way passes a singular configuration"
            expected = "a motion and loads that the actuators can hold at rest"
            raise MotionError(f"impossible in any time: {reason}", key=limit, expected=expected)
        at_high = worst(high)
    while worst(high / 2).usage <= 1.0:
        high /= 2
        if high < SHORTEST:
            problem = "no limit is reached, however fast"
            raise MotionError(problem, key="motion", expected="a motion that moves")
    return high / 2, high


def _worst(
    model: Kernels, motion: Motion, tasks: tuple[Task, ...], limits: dict[str, Array], samples: int
) -> _Worst:
    """Return the maximum fraction of a limit in use; infinite at a singular pose."""
    t = np.linspace(0.0, motion.duration, samples)
    moved = motion(t)
    needed = {
        "speed": lambda: model.joint_velocity(moved.pose, moved.twist),
        "acceleration": lambda: model.joint_acceleration(*moved),
        "force": lambda: model.actuator_force(*moved, total_wrench(tasks, t, moved)),
    }
    found = []
    for name, limit in limits.items():
        usage = np.abs(needed[name]()) / limit
        usage = np.where(np.isnan(usage), np.inf, usage)
        k, leg = np.unravel_index(np.argmax(usage), usage.shape)
        found.append(_Worst(float(usage[k, leg]), name, int(leg) + 1, float(t[k])))
    return max(found)


def _limits(actuators: Sequence[Actuator], **given: ArrayLike | None) -> dict[str, Array]:
    """Return the limits that are given or the actuators' own, where any is finite."""
    limits = {}
    for name, stated in given.items():
        own = np.array([getattr(actuator, f"max_{name}", None) or np.inf for actuator in actuators])
        limit = own if stated is None else _limit(stated, name, len(actuators))
        if np.isfinite(limit).any():
            limits[name] = limit
    if not limits:
        raise MotionError("no limits", key=", ".join(given), expected="at least one of them")
    return limits


def _limit(given: ArrayLike, name: str, count: int) -> Array:
    """One limit, or one for each actuator; it may be infinite."""
    limit = numeric(given)
    if limit is None or limit.shape not in ((), (count,)) or not (limit >= LEAST_LIMIT).all():
        expected = f"one limit or {count}, above 0: at least {LEAST_LIMIT:g}"
        raise MotionError("out of range", key=name, value=given, expected=expected)
    return limit.astype(float)


def _making(motion: Any) -> Callable[[float], Motion]:
    """A function from a duration to a motion, whose results are looked at."""
    checked.instance(motion, Callable, "motion", "a motion, or a function of a duration [s]")

    def of_duration(duration: float) -> Motion:
        made: Motion = motion(duration)
        checked.instance(made, Motion, "motion", "a function that gives a motion")
        return made

    return of_duration
