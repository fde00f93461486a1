"""Modes of vibration of machines that yield: frequencies, and what moves how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import AnyArray, Array
from gough.equations.actuators.connector import Mode
from gough.errors import GoughError
from gough.kinematics.elastic.bodies import carried
from gough.kinematics.elastic.coordinates import rotors_move, what_moves
from gough.kinematics.elastic.held import LOCKED, actuator_compliance, elastic_model
from gough.kinematics.elastic.kernels import frequency_kernel
from gough.kinematics.elastic.vibrating import Vibrating, vibrating_at
from gough.model.definition import POSE, WRENCH
from gough.model.kernels import Kernels
from gough.poses import transform
from gough.poses.given import finite
from gough.robot import Mechanism, Robot
from gough.robot.mechanism import MOVES
from gough.shown import Fact, card, facts, grid, number, span

if TYPE_CHECKING:
    from matplotlib.figure import Figure


ROUNDING = 1e-12
"""Squares of frequencies smaller than this share of the largest one are rounding errors."""


@dataclass(frozen=True)
class Modes:
    """How a machine vibrates about poses `(...)`: small, undamped, lowest frequency first.

    The coordinates are the platform's freedoms (of six, the way of its origin and a rotation
    vector, base axes), of hexapods the ways along the legs of the pistons and decoupling stages
    that springs part from it, and of rotors what these let the actuators do. Coordinates that are
    held have no part in it. Where links or bearings yield, they are all six of the platform,
    strains of bearings, and what beams do.
    """

    robot: Robot
    """With the connectors that yield."""
    pose: Array
    """(..., 7)"""
    coordinates: tuple[str, ...]
    """Names of the m coordinates: freedoms as x or rz, `leg 1 piston`, `leg 1 stage`, `leg 1
    rotor`, `hip 1 y bearing`, `crank 1 y beam`, `crank 1 mode 1 beam`."""
    frequencies: Array
    """(..., n) [Hz]; negative where the machine gives way, as e^(2π |f| t)."""
    shapes: Array
    """(..., n, m) a row for each mode, mass-normalised: shape · M · shape = 1 kg m² or 1 kg."""
    displacements: Array
    """(..., n, 6) way [m] of the platform's origin and rotation vector [rad], base axes, in each
    shape."""
    participation: Array
    """(..., n, m) share of each coordinate in a mode's kinetic energy, those of a platform with six
    freedoms about its mass centre; the shares of a mode add up to one."""
    effective_masses: Array
    """(..., n, 6) what a mode takes part with when the base shakes along x y z [kg], and about them
    through the base's origin [kg m²]."""

    def __len__(self) -> int:
        return int(self.frequencies.shape[-1])

    def __repr__(self) -> str:
        return f"<gough modes of {self.robot.name}: {self}>"

    def __str__(self) -> str:
        words, batch = f"{len(self)} modes", self.frequencies.shape[:-1]
        if batch:
            words = f"{' x '.join(map(str, batch))} poses, {words}"
        if lowest := span(np.ravel(self.frequencies[..., 0])):
            words += f", the lowest at {lowest} Hz"
        if falling := int(np.sum(self.gives_way)):
            words += f"; gives way at {falling} of them" if batch else "; gives way"
        return words

    @property
    def gives_way(self) -> AnyArray:
        """(...) whether it runs away from some small displacement, by more than rounding errors."""
        squares = self.frequencies * np.abs(self.frequencies)
        return np.asarray(squares[..., 0] < -ROUNDING * np.abs(squares).max(-1))

    @property
    def stable(self) -> AnyArray:
        """(...) whether it does not; False where nothing is known."""
        return np.asarray(np.isfinite(self.frequencies[..., 0]) & ~self.gives_way)

    @property
    def angular_frequencies(self) -> Array:
        """(..., n) [rad/s]."""
        return 2 * np.pi * self.frequencies

    @property
    def most(self) -> tuple[tuple[str, float], ...]:
        """What moves most in each mode of one pose, and its share of the kinetic energy."""
        if self.frequencies.ndim > 1:
            raise GoughError(
                f"these modes are of {self.frequencies.shape[:-1]} poses, and what moves most is "
                "told of one; expected gough.modes(robot, pose) of that one"
            )
        return tuple(_most(self.coordinates, shares) for shares in self.participation)

    def plot(self, *numbers: int) -> Figure:
        """A figure of the shapes of some modes, counted from 1, or of the lowest six."""
        from gough.kinematics.elastic.drawing import plot_shapes  # noqa: PLC0415  (of these)

        return plot_shapes(self, numbers)

    def _repr_html_(self) -> str:
        if self.frequencies.ndim > 1:
            return card(self.robot.name, "modes of vibration", facts([Fact("", str(self))]))
        rows = [
            (str(k), number(f), words, number(100 * share, 3))
            for k, (f, (words, share)) in enumerate(
                zip(self.frequencies, self.most, strict=True), 1
            )
        ]
        headings = ("mode", "frequency [Hz]", "what moves most", "its share of the energy [%]")
        listed = grid(headings, rows, (0, 1, 3))
        return card(self.robot.name, "modes of vibration", listed, warnings=self.warnings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known."""
        if not np.any(self.gives_way):
            return ()
        return (
            "it gives way: a negative frequency is no vibration, but grows as e^(2π |f| t); free "
            "actuators keep their forces, and loads can make legs give way aside",
        )


def modes(
    robot: Robot,
    pose: Any = None,
    *,
    actuators: Any = LOCKED,
    connectors: Mode | None = None,
    wrench: Any = None,
) -> Modes:
    """The modes of a machine that yields, at poses (..., 7), by default at home.

    Actuators are "locked", "free" (they keep the forces that hold the machine under a wrench
    (..., 6) [N, N m] on its platform), or under position control with a stiffness [N/m], one or one
    each; where they are not locked, rotors move as their drives say. `connectors` says which stages
    of the legs yield, as in simulations: "rigid", "simple", "low-frequency", "high-frequency" or
    "complete"; left out, all that the robot has.
    """
    model = elastic_model(robot, connectors, swinging=True)
    at = finite(model.robot.home if pose is None else pose, "pose", POSE.size)
    vibrating = vibrating_at(model, at, actuators, wrench, rotors=True)
    squares, shapes = solved_freely(model, vibrating)
    hertz = np.sign(squares) * np.sqrt(np.abs(squares)) / (2 * np.pi)
    factors = shapes @ np.swapaxes(vibrating.momentum, -1, -2)
    return Modes(
        model.robot,
        at,
        vibrating.coordinates,
        hertz,
        shapes,
        shapes @ np.swapaxes(vibrating.moves, -1, -2),
        _shares(model.robot, at, vibrating, shapes),
        factors**2,
    )


def solved_freely(model: Kernels, vibrating: Vibrating) -> tuple[Array, Array]:
    """Squares of the angular frequencies and shapes, as rows, of the motions that are possible."""
    free = vibrating.free
    if free is None:
        return solved(model, vibrating.M, vibrating.K)
    back = np.swapaxes(free, -1, -2)
    squares, shapes = solved(model, back @ vibrating.M @ free, back @ vibrating.K @ free)
    return squares, shapes @ back


def solved(model: Kernels, M: Array, K: Array) -> tuple[Array, Array]:
    """Squares of the angular frequencies, and shapes as rows; NaN where K or M is not finite."""
    known = np.asarray(np.isfinite(M + K).all((-2, -1)))
    size = M.shape[-1]
    M = np.where(known[..., None, None], M, np.eye(size))
    K = np.where(known[..., None, None], K, np.eye(size))
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        raise GoughError(
            f"{model.robot.name}: something that moves has no mass; expected a platform with mass "
            "and inertia, and masses of pistons that connectors part from it"
        ) from None
    inverse = np.linalg.inv(L)
    turned = np.swapaxes(inverse, -1, -2)
    squares, vectors = np.linalg.eigh(inverse @ K @ turned)
    shapes = np.swapaxes(turned @ vectors, -1, -2)
    squares = np.where(known[..., None], squares, np.nan)
    return squares, np.where(known[..., None, None], shapes, np.nan)


def _shares(robot: Robot, pose: Array, vibrating: Vibrating, shapes: Array) -> Array:
    """Of each coordinate in the kinetic energy, those of the platform about its mass centre."""
    M = vibrating.M
    if vibrating.coordinates[: len(MOVES)] != MOVES:
        return np.asarray(shapes * (shapes @ M))
    arm = transform(pose, robot.platform.center_of_mass) - pose[..., :3]
    to_centre = np.broadcast_to(np.eye(M.shape[-1]), M.shape).copy()
    to_centre[..., :6, :6] = carried(arm)
    back = np.linalg.inv(to_centre)
    moved = shapes @ np.swapaxes(to_centre, -1, -2)
    about = np.swapaxes(back, -1, -2) @ M @ back
    return np.asarray(moved * (moved @ about))


def _most(names: tuple[str, ...], shares: Array) -> tuple[str, float]:
    """What has most of a mode's energy, as "platform along x" or "pistons", and its share."""
    groups: dict[str, float] = {}
    for name, share in zip(names, shares, strict=True):
        words = what_moves(name)
        groups[words] = groups.get(words, 0.0) + float(share)
    return max(groups.items(), key=lambda group: group[1])


def frequencies(model: Kernels, pose: Any, *, actuators: Any = LOCKED, wrench: Any = None) -> Array:
    """Natural frequencies (..., n) [Hz] at poses (..., 7), lowest first, without dampers.

    A negative one is no vibration: the machine gives way, as e^(2π |f| t). Infinite are those of
    pistons that are held. NaN where the pose is singular. Actuators, wrench: see `gough.modes`.
    Where links or bearings yield they are found pose by pose, which takes milliseconds each.
    """
    robot = model.own_robot("frequencies")
    if isinstance(robot, Mechanism) and robot.links_yield:
        return modes(robot, pose, actuators=actuators, wrench=wrench).frequencies
    own = elastic_model(robot, None)
    pushed = np.zeros(WRENCH.size) if wrench is None else wrench
    yielding = actuator_compliance(own, actuators)
    kernel = frequency_kernel(own.machines, rotors_move(own.robot, yielding))
    return np.asarray(kernel(pose, pushed, yielding))
