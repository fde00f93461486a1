"""The [learning] table of a study file: a simulation as an environment of reinforcement learning.

Numbers are read for the signals that they belong to, in `gough.learning`: a length may be "5 mm".
"""

from typing import Annotated, Any, Literal

from pydantic import WithJsonSchema

from gough.errors import InputError
from gough.fields import quantities as q
from gough.fields.table import FileTable, entry, optional
from gough.fields.units import QUANTITY_PATTERN
from gough.fields.values import Integer

MOST_STEPS = 1000
"""Maximum number of samples of the controller in an action: each is a call in the kernel."""
_ONE = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": QUANTITY_PATTERN}]}
Amount = Annotated[Any, WithJsonSchema(_ONE)]
"""Number or text with a unit, as the signal that it belongs to has."""
Amounts = Annotated[Any, WithJsonSchema({"anyOf": [_ONE, {"type": "array", "items": _ONE}]})]
"""Such a number for all components of the signal, or one for each."""


class WrittenAction(FileTable):
    """The [learning.action] table: what numbers from -1 to 1 mean."""

    kind: Literal["reference", "command"] = entry(
        "Whether the reference of the controller is displaced, or its command, actuator by "
        "actuator, is added to."
    )
    components: tuple[Literal["x", "y", "z", "rx", "ry", "rz"], ...] = entry(
        "Axes of the base along and about which the reference is displaced.", ()
    )
    limit: Amounts = entry(
        "Displacement [m, rad] or command [N, N m, V] of an action of 1, for all or for each."
    )
    bandwidth: q.Frequency | None = optional(
        "Frequency of the critically damped filter that smooths a displaced reference [Hz]."
    )

    def _check(self) -> None:
        for key in ("components", "bandwidth"):
            if (self.kind == "reference") != bool(getattr(self, key)):
                needed = self.kind == "reference"
                problem = "missing" if needed else "not used by command"
                expected = 'a list such as ["rx", "ry"]' if key == "components" else "5 or '5 Hz'"
                raise InputError(problem, key=key, expected=expected if needed else "no such key")
        if len(set(self.components)) < len(self.components):
            raise InputError("one is given twice", key="components", expected="each once")


class WrittenSignal(FileTable):
    """One of [[learning.observation]]: a signal that is observed, over its scale."""

    of: str = entry("Name of the signal.", min_length=1)
    scale: Amount = entry("Number by which it is divided.", 1.0)


class WrittenReward(WrittenSignal):
    """One of [[learning.reward]]: a function of u, the length of a signal over its scale."""

    kind: Literal["gaussian", "square", "absolute", "within"] = entry(
        "Function of u: exp(-u²), -u², -u, or 1 while u is below 1 and 0 else.", "gaussian"
    )
    weight: q.Number = entry("Factor of it in the reward of a step.", 1.0)


class WrittenTermination(FileTable):
    """One of [[learning.termination]]: an episode ends where a signal is long, or short."""

    of: str = entry("Name of the signal.", min_length=1)
    above: Amount | None = optional("The episode ends where its length is above this number.")
    below: Amount | None = optional("The episode ends where its length is below this number.")
    reward: q.Number = entry("Added to the reward of this step.", 0.0)

    def _check(self) -> None:
        if (self.above is None) == (self.below is None):
            raise InputError("given twice or not at all", key="above", expected="above or below")


class WrittenTarget(FileTable):
    """One of [[learning.targets]]: what a signal is to be, drawn uniformly at random."""

    of: str = entry("Name of the signal; NAME_target and NAME_error are then signals, too.")
    low: Amounts = entry("Minimum.")
    high: Amounts = entry("Maximum.")
    every: q.Duration | None = optional("Time after which it is drawn anew [s]. Left out: never.")


class WrittenPart(FileTable):
    """The [learning.part] table: a part that the platform picks up where it comes near it slowly.

    Then its mass is added to that of the platform, at the platform's mass centre.
    """

    mass: q.Mass = entry("Mass of the part [kg]; the controller does not know it.")
    grip_distance: q.PositiveLength = entry("Distance within which it is picked up [m].")
    grip_speed: q.Speed = entry("Speed of the platform below which it is picked up [m/s].")


class WrittenLearning(FileTable):
    """The [learning] table: actions, observations, rewards and ends of episodes."""

    steps: Annotated[int, Integer(1, MOST_STEPS)] = entry(
        "Samples of the controller for which an action is held.", 10
    )
    duration: q.Duration | None = optional(
        "Maximum duration of an episode [s]. Left out: that of the simulation."
    )
    action: WrittenAction = entry("Actions, and their meaning.")
    observation: tuple[WrittenSignal, ...] = entry("Signals that are observed.", min_length=1)
    reward: tuple[WrittenReward, ...] = entry("Terms of the reward, which are added.", min_length=1)
    termination: tuple[WrittenTermination, ...] = entry("Conditions that end an episode.", ())
    failure_reward: q.Number = entry(
        "Added to the reward where a run diverges, an actuator exceeds its range, or a ball flies "
        "off.",
        0.0,
    )
    targets: tuple[WrittenTarget, ...] = entry("Target values of signals.", ())
    randomised: dict[str, tuple[Amounts, Amounts]] = entry(
        "Minimum and maximum of numbers that are drawn uniformly for each episode: numbers of the "
        "robot, ball_position, ball_velocity, part_position, and position and rotation "
        "of the start relative to that of the study.",
        default_factory=dict,
    )
    part: WrittenPart | None = optional("A part to be picked up.")
