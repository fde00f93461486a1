"""Natural modes of compliant machines: frequencies, shapes, participation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table, span
from gough.elastic import kernels
from gough.elastic.flexible.machine import FlexibleMachine
from gough.elastic.flexible.platform import FlexiblePlatform
from gough.elastic.vibrating import platform_shares, vibrating_at
from gough.equations.legs.extensible import Mode
from gough.errors import GoughError
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits
from gough.kinematics.workspace.slices import RESOLUTION, Map, mapped, workspace_slice
from gough.model.definition import POSE
from gough.model.kernels import Kernels
from gough.one_thread import one_thread
from gough.poses.given import finite
from gough.poses.quaternions import rotation_matrix, unit
from gough.poses.rows import pose_rows
from gough.robot import PLATFORM, Robot, as_mechanism

if TYPE_CHECKING:
    from matplotlib.axes import Axes


COARSE = 40  # number of poses of a map along each axis, with compliant links or bearings
_AROUND = 10.0
ROUNDING = 1e-12  # share of the maximum squared frequency below which squares are rounding


@dataclass(frozen=True)
class NaturalModes(Displayable):
    """Small undamped vibrations of a machine about poses `(...)`, lowest frequency first.

    The coordinates are the platform's degrees of freedom (of six, the displacement of its origin
    and a rotation vector, base axes), of hexapods the displacements along the legs of the pistons
    and decoupling stages behind springs, and the displacements of the actuators that belong to
    rotors. Locked coordinates are left out. With compliant links or bearings they are all six of
    the platform, strains of bearings, and elastic coordinates of beams and of a platform with mass
    of its own; a FlexibleMachine has its own.

    >>> import gough
    >>> gough.natural_modes(gough.load("demo-hexapod")).frequencies[:2].round(2).tolist()  # [Hz]
    [6.95, 6.96]
    """

    robot: Robot
    """Robot with the compliant parts of its connectors."""
    pose: Array
    """(..., 7); of a FlexibleMachine as deflected by its loads."""
    coordinates: tuple[str, ...]
    """Names of the m coordinates: x or rz of the platform, `leg 1 piston`, `leg 1 stage`, `leg 1
    rotor`, `hip 1 y bearing`, `crank 1 y beam`, `crank 1 mode 1 beam`."""
    frequencies: Array
    """(..., n) [Hz]; negative where the machine is unstable, growing as e^(2π |f| t)."""
    shapes: Array
    """(..., n, m) a row for each mode, mass-normalised: shape · M · shape = 1 kg m² or 1 kg."""
    displacements: Array
    """(..., n, 6) displacement [m] of the platform's origin and rotation vector [rad] in each
    shape, base axes."""
    parts: tuple[str, ...]
    """Names of the parts with kinetic energy: the coordinates; of a FlexibleMachine the platform's
    six directions, and `link` for all links."""
    participation: Array
    """(..., n, parts) share of each part in a mode's kinetic energy, those of a platform with six
    degrees of freedom about its mass centre; the shares of a mode add up to one."""
    effective_masses: Array
    """(..., n, 6) effective modal masses for base excitation along x y z [kg], and about them
    through the base's origin [kg m²]."""
    beams: tuple[str, ...]
    """Names of the bodies that bend."""
    bending: Array
    """(..., n, beams) each beam's share of the strain energy of all; zero where none bends."""

    result_kind: ClassVar = "modes of vibration"
    listed: ClassVar = (
        "robot pose coordinates frequencies shapes participation effective_masses stable warnings"
    )

    def __len__(self) -> int:
        return int(self.frequencies.shape[-1])

    def __repr__(self) -> str:
        return f"<gough natural modes of {self.robot.name}: {self}>"

    def __str__(self) -> str:
        words, batch = f"{len(self)} modes", self.frequencies.shape[:-1]
        if batch:
            words = f"{' x '.join(map(str, batch))} poses, {words}"
        if lowest := span(np.ravel(self.frequencies[..., 0])):
            words += f", the lowest at {lowest} Hz"
        if falling := int(np.sum(self.unstable)):
            words += f"; unstable at {falling} of them" if batch else "; unstable"
        return words

    @property
    def unstable(self) -> AnyArray:
        """(...) whether it runs away from some small displacement, by more than rounding errors."""
        squares = self.frequencies * np.abs(self.frequencies)
        return np.asarray(squares[..., 0] < -ROUNDING * np.abs(squares).max(-1))

    @property
    def stable(self) -> AnyArray:
        """(...) whether it does not; False where nothing is known."""
        return np.asarray(np.isfinite(self.frequencies[..., 0]) & ~self.unstable)

    @property
    def most(self) -> tuple[tuple[str, float], ...]:
        """Part with most of the kinetic energy in each mode of one pose, and its share.

        As "platform along x" or "pistons", of all legs.
        """
        self.require_one_pose("the part that moves most")
        words, found = [kernels.what_moves(part) for part in self.parts], []
        for shares in self.participation.tolist():
            groups = dict.fromkeys(words, 0.0)
            for word, share in zip(words, shares, strict=True):
                groups[word] += share
            found.append(max(groups.items(), key=lambda group: group[1]))
        return tuple(found)

    @property
    def platform(self) -> Array:
        """(..., n) the platform's share of each mode's kinetic energy."""
        rigid: Array = platform_shares(self.robot, self.pose, self.displacements).sum(-1)
        compliant = self.robot.has_compliant_links
        own = FlexiblePlatform.of(as_mechanism(self.robot)) if compliant else None
        if own is None:
            return rigid
        names = {
            name
            for x in own.names
            for name in (f"{PLATFORM}.{x}", f"{PLATFORM} {x} {kernels.FRAME}")
        }
        eta = self.shapes[..., [name in names for name in self.coordinates]]
        R = rotation_matrix(unit(self.pose[..., 3:]))
        moved = np.concatenate([part @ R for part in np.split(self.displacements, 2, -1)], axis=-1)
        return np.asarray(rigid + ((2 * moved @ own.momentum + eta @ own.mass) * eta).sum(-1))

    @property
    def bent(self) -> tuple[tuple[str, float], ...]:
        """Beam that bends most in each mode of one pose, and its share; "" where none bends."""
        self.require_one_pose("the beam that bends most")
        return tuple(
            (self.beams[int(shares.argmax())], float(shares.max())) if shares.any() else ("", 0.0)
            for shares in self.bending
        )

    def require_one_pose(self, asked: str) -> None:
        """GoughError where these are modes of several poses, and something is known for one."""
        if self.frequencies.ndim > 1:
            raise GoughError(
                f"these modes are of {self.frequencies.shape[:-1]} poses, and {asked} is known for "
                "one only; expected gough.natural_modes(robot, pose) of that one"
            )

    def surrounding_frequencies(self, count: int = 2000) -> Array:
        """(count) [Hz] from a tenth of the lowest frequency to ten times the highest."""
        known = np.abs(self.frequencies[np.isfinite(self.frequencies)])
        return np.geomspace(known.min() / _AROUND, known.max() * _AROUND, count)

    def plot(self, *numbers: int, ax: Axes | Sequence[Axes] | None = None) -> list[Axes]:
        """Plot the shapes of some modes, counted from 1, or of the lowest six; return the axes."""
        from gough.elastic.pictures import plot_shapes  # noqa: PLC0415  (of these)

        return plot_shapes(self, numbers, ax)

    def tables(self) -> list[Table]:
        """Each mode of one pose: frequency, what moves, effective masses; of several a summary."""
        if self.frequencies.ndim > 1:
            return [Table("", (), (), str(self))]
        modes = zip(self.frequencies, self.most, self.effective_masses[:, :3], strict=True)
        rows = [
            (k, float(f), words, f"{100 * share:.0f}", *(f"{mass:.1f}" for mass in masses))
            for k, (f, (words, share), masses) in enumerate(modes, 1)
        ]
        of_mass = ("mass x [kg]", "y [kg]", "z [kg]")
        heads = ("", "frequency [Hz]", "what moves", "share [%]", *of_mass)
        return [Table.properties("Pose", pose_rows(self.pose)), Table.of("Modes", heads, rows)]

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        most = [words for words, _ in self.most] if self.frequencies.ndim == 1 else None
        return super().to_dict() | {"most": most}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return warnings about unstable poses."""
        if not np.any(self.unstable):
            return ()
        return (
            "it is unstable: a negative frequency is no vibration, but grows as e^(2π |f| t); free "
            "actuators keep their forces, and loads can buckle the legs sideways",
        )


def natural_modes(
    robot: Robot | Kernels | FlexibleMachine,
    pose: ArrayLike | None = None,
    *,
    actuators: ArrayLike = kernels.LOCKED,
    connectors: Mode | None = None,
    wrench: ArrayLike | None = None,
) -> NaturalModes:
    """Compute the natural modes of a compliant machine at poses (..., 7), by default at home.

    Actuators are "locked", "free" (they keep the forces that hold the machine under a wrench
    (..., 6) [N, N m] on its platform), or under position control with a stiffness [N/m], one or one
    each; where they are not locked, rotors move as their drives say. `connectors` selects the
    compliant stages of the legs, as in simulations: "rigid", "simple", "low-frequency",
    "high-frequency" or "complete"; by default all that the robot has.

    A `FlexibleMachine` has one pose, and vibrates without rotors about the state deflected by its
    loads. Rods that spin between ball joints are no modes.

    >>> import gough
    >>> gough.natural_modes(gough.load("demo-hexapod")).frequencies[:2].round(2).tolist()  # [Hz]
    [6.95, 6.96]
    """
    with one_thread():
        if isinstance(robot, FlexibleMachine):
            vibrating = robot.vibrating(pose, actuators=actuators, wrench=wrench)
        else:
            model = kernels.elastic_model(robot, connectors)
            at = finite(model.robot.home if pose is None else pose, "pose", POSE.size)
            vibrating = vibrating_at(model, at, actuators, wrench, rotors=True)
        squares, shapes = vibrating.natural_modes()
        parts, participation = vibrating.participation(shapes)
    frequencies = np.sign(squares) * np.sqrt(np.abs(squares)) / (2 * np.pi)
    T, S = (np.swapaxes(x, -1, -2) for x in (vibrating.twist_basis, vibrating.momentum))
    return NaturalModes(
        *(vibrating.robot, vibrating.pose, vibrating.coordinates, frequencies, shapes),
        *(shapes @ T, parts, participation, (shapes @ S) ** 2),
        tuple(beam.body for beam in vibrating.beams),
        vibrating.bending(shapes),
    )


def natural_frequencies(
    robot: Robot | Kernels,
    pose: ArrayLike | None,
    *,
    actuators: ArrayLike = kernels.LOCKED,
    wrench: ArrayLike | None = None,
) -> Array:
    """Compute natural frequencies (..., n) [Hz] at poses (..., 7) or home, lowest first, undamped.

    A negative one is no vibration: the machine is unstable, growing as e^(2π |f| t). Infinite ones
    are of locked pistons. NaN where the pose is singular. Actuators, wrench: see `natural_modes`.
    With compliant links or bearings they are found pose by pose, which takes milliseconds each.
    """
    own = kernels.elastic_model(robot, None)
    if own.robot.has_compliant_links:
        return natural_modes(own, pose, actuators=actuators, wrench=wrench).frequencies
    compliance = kernels.actuator_compliance(own.robot, actuators)
    kernel = kernels.frequency_kernel(own.machines, kernels.rotors_move(own.robot, compliance))
    at = own.robot.home if pose is None else pose
    return np.asarray(kernel(at, kernels.six_or_zero(wrench), compliance))


def frequency_map(
    robot: Robot,
    axes: tuple[str, str],
    pose: ArrayLike | None = None,
    *,
    actuators: ArrayLike = kernels.LOCKED,
    connectors: Mode | None = None,
    limits: Limits = ALL_LIMITS,
    resolution: int | None = None,
) -> Map:
    """Map the first natural frequency over a plane of poses; negative where it is unstable.

    Actuators and connectors as in `gough.natural_modes`. Left out, the resolution is 240 poses
    along each axis; 40 for compliant links or bearings, which take milliseconds a pose.
    """
    model = kernels.elastic_model(robot, connectors)
    fine = resolution or (COARSE if robot.has_compliant_links else RESOLUTION)

    def lowest(poses: Array) -> Array:
        return natural_frequencies(model, poses, actuators=actuators)[:, 0]

    cut = workspace_slice(model, axes, pose, limits=limits, resolution=fine)
    return mapped(model, cut, pose, lowest, "first natural frequency", "Hz")
