"""Chatter in milling: stability lobes from the frequency response of a compliant machine.

A tooth cuts a surface that the tooth before it left wavy, so the chip's thickness depends on the
displacement u of the workpiece now and one tooth period T ago. With forces averaged over a turn
[Altintas and Budak, CIRP Annals 44 (1995)] the force on the workpiece is
F = -K_s b A (u - u(t - T)), and u = G(iω) F: a depth of cut b is at the limit of stability where
1 + K_s b (1 - exp(-iωT)) λ(ω) = 0 for an eigenvalue λ of A G.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, minimize_scalar

from gough.arrays import AnyArray, Array
from gough.checks import require_integer, require_not_negative, require_positive, require_row
from gough.display import Displayable, Table
from gough.elastic.kernels import elastic_model
from gough.elastic.response import frequency_response
from gough.elastic.state_space import elastic_state_space
from gough.equations.forces.contact import engagement
from gough.equations.legs.extensible import Mode
from gough.errors import GoughError
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits
from gough.kinematics.workspace.slices import Map, mapped, workspace_slice
from gough.poses.given import array_of_numbers
from gough.robot import Robot

if TYPE_CHECKING:
    from control import StateSpace
    from matplotlib.axes import Axes

PER_HALF_WIDTH, PER_HALF_WIDTH_OF_MAPS = 30, 6
"""Number of frequencies searched in the half-width of a resonance; a minimum alone needs few."""
ROUNDING = 1e-9  # damping ratio below which a mode is undamped


@dataclass(frozen=True)
class Cut:
    """An end mill in a workpiece on the platform.

    A tooth at the angle φ from the normal of the feed takes a chip of thickness f_z sin φ, and is
    in the material from the `entry` to the `exit` angle [rad]: 0 to π in a full groove. The force
    on the workpiece is `specific_force` [Pa] times the chip's area along the tooth's way, and
    `radial_ratio` times that away from the cutter. The cutter feeds along `feed`; `normal` points
    from the workpiece to the spindle, which turns clockwise when seen from there. Both are base
    axes.
    """

    teeth: int
    specific_force: float
    radial_ratio: float = 0.3
    entry: float = 0.0
    exit: float = np.pi
    feed: tuple[float, float, float] = (1.0, 0.0, 0.0)
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        require_integer("teeth", self.teeth, most=100)
        require_positive("specific_force", self.specific_force)
        require_not_negative("radial_ratio", self.radial_ratio)
        if not 0.0 <= self.entry < self.exit <= np.pi:
            raise GoughError(
                f"entry and exit are {self.entry!r} and {self.exit!r} rad; expected "
                "0 <= entry < exit <= pi"
            )
        feed, normal = (require_row(name, getattr(self, name), 3) for name in ("feed", "normal"))
        if not np.linalg.norm(np.cross(normal, feed)) > 0:
            raise GoughError(f"feed {self.feed} and normal {self.normal} are parallel")

    @classmethod
    def up(cls, immersion: float, **others: Any) -> Cut:
        """Up milling with a radial immersion [–], the width of cut over the cutter's diameter."""
        return cls(exit=_angles(immersion, "up")[1], **others)

    @classmethod
    def down(cls, immersion: float, **others: Any) -> Cut:
        """Down milling with a radial immersion [–], the width of cut over the diameter."""
        return cls(entry=_angles(immersion, "down")[0], **others)

    @property
    def axes(self) -> Array:
        """(2, 3) unit vectors along the feed and across it, in the plane of the cutter."""
        normal = np.asarray(self.normal) / np.linalg.norm(self.normal)
        side = np.cross(normal, self.feed)
        side /= np.linalg.norm(side)
        return np.array([np.cross(side, normal), side])

    @property
    def coefficients(self) -> Array:
        """(2, 2) A: mean over a turn of (along + radial_ratio out) outᵀ of all teeth in the cut.

        On `axes`, where out = (sin φ, cos φ) points from the cutter to the tooth, and along =
        (cos φ, -sin φ) is the tooth's way.
        """
        low, high, r = self.entry, self.exit, self.radial_ratio
        both = (np.cos(2 * low) - np.cos(2 * high)) / 4
        of_sine = (high - low) / 2 - (np.sin(2 * high) - np.sin(2 * low)) / 4
        of_cosine = (high - low) - of_sine
        A = [[both + r * of_sine, of_cosine + r * both], [r * both - of_sine, r * of_cosine - both]]
        return np.array(A) * self.teeth / (2 * np.pi)


def _angles(immersion: float, milling: str) -> tuple[float, float]:
    """Angles [rad] between which a tooth is in the material."""
    if not 0.0 < require_positive("immersion", immersion) <= 1.0:
        raise GoughError(f"immersion is {immersion!r}; expected above 0, at most 1")
    return engagement(immersion, milling)


@dataclass(frozen=True)
class StabilityLobes(Displayable):
    """Limits of the depth of cut, over the speed of the spindle."""

    cut: Cut
    speeds: Array
    """(n) speeds of the spindle [rev/min]."""
    depths: Array
    """(n) depths of cut [m] at the limit of stability; infinite where there is none."""
    frequencies: Array
    """(n) frequencies of the chatter there [Hz]; NaN where there is none."""
    minimum_depth: float
    """Depth [m] below which the cut is stable at every speed."""
    listed = "speed=speeds depth=depths frequency=frequencies minimum_depth"

    @property
    def heading(self) -> tuple[str, str]:
        """The cutter, and what this is."""
        return f"{self.cut.teeth} teeth", "stability lobes"

    def tables(self) -> list[Table]:
        """The limits by speed."""
        columns = zip(self.speeds, self.depths, self.frequencies, strict=True)
        rows = [(f"{n:.0f}", b, f) for n, b, f in columns]
        heads = ("spindle [rev/min]", "depth of cut [m]", "chatter [Hz]")
        return [
            Table.of("", ("stable at every speed", "depth [m]"), [("below", self.minimum_depth)]),
            Table.of("Limits of stability", heads, rows, most=12),
        ]

    def is_stable(self, depth: float) -> AnyArray:
        """(n) whether cuts of a depth [m] are stable, by speed."""
        return np.asarray(depth < self.depths)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the limit over the speed, the stable side below it."""
        from gough.plots.pictures import single_axes  # noqa: PLC0415  (Matplotlib is optional)

        ax = single_axes(ax, (7.0, 4.0))
        ax.plot(self.speeds, self.depths * 1e3, linewidth=1.3)
        ax.set(xlabel="spindle [rev/min]", ylabel="depth of cut [mm]", ylim=(0, None))
        return ax


def stability_lobes(system: StateSpace, cut: Cut, speeds: ArrayLike) -> StabilityLobes:
    """Compute the limit of the depth of cut at speeds of the spindle (n) [rev/min].

    `system` is an `elastic_state_space` whose `tool` is the point of the cut. Frequencies are
    searched around all its resonances, and each limit is refined to rounding. A machine without
    damping has no stable cut.
    """
    given = array_of_numbers(speeds, "speeds")
    if given.ndim != 1 or not (given > 0).all() or not np.isfinite(given).all():
        raise GoughError("speeds are not all positive numbers; expected (n,) [rev/min]")
    plane = _PlaneResponse(system, cut)
    hertz = _searched(system)
    branches = plane.branches(hertz)
    limits = [_limit(plane, hertz, branches, 60.0 / (n * cut.teeth)) for n in given]
    depths, found = np.array(limits).reshape(-1, 2).T
    return StabilityLobes(cut, given, depths, found, plane.minimum(hertz, branches))


def chatter_map(
    robot: Robot,
    axes: tuple[str, str],
    cut: Cut,
    pose: ArrayLike | None = None,
    *,
    connectors: Mode | None = None,
    limits: Limits = ALL_LIMITS,
    resolution: int = 20,
    **options: Any,
) -> Map:
    """Map the depth of cut [m] that is stable at every speed over a plane of poses.

    It is zero where the equilibrium is unstable. Further options are those of
    `gough.elastic_state_space`: damping_ratio, tool, actuators, wrench. A pose takes about a tenth
    of a second.
    """
    model = elastic_model(robot, connectors)

    def depth(at: Array) -> float:
        system = elastic_state_space(model, at, **options)
        if (system.poles().real > ROUNDING * np.abs(system.poles())).any():
            return 0.0
        plane, hertz = _PlaneResponse(system, cut), _searched(system, PER_HALF_WIDTH_OF_MAPS)
        return plane.minimum(hertz, plane.branches(hertz))

    plane = workspace_slice(model, axes, pose, limits=limits, resolution=resolution)
    words = "depth of cut stable at every speed"
    return mapped(model, plane, pose, lambda poses: np.array([*map(depth, poses)]), words, "m")


@dataclass(frozen=True)
class _PlaneResponse:
    """The part of a machine's response that a cut meets."""

    system: StateSpace
    cut: Cut

    def branches(self, hertz: AnyArray) -> AnyArray:
        """(f, 2) z = -1/(K_s λ) [m] of both eigenvalues λ of A G, each continuous."""
        found = frequency_response(self.system, hertz, "displacement", "wrench").values
        G = self.cut.axes @ found[:, :3, :3] @ self.cut.axes.T
        z = -1 / (self.cut.specific_force * np.linalg.eigvals(self.cut.coefficients @ G))
        for k in range(1, len(z)):
            if abs(z[k] - z[k - 1]).sum() > abs(z[k] - z[k - 1, ::-1]).sum():
                z[k] = z[k, ::-1]
        return z

    def near(self, hertz: float, start: complex) -> AnyArray:
        """(1) z [m] of the eigenvalue whose z is near to one at a near frequency."""
        both = self.branches(np.array([hertz]))[0]
        return np.asarray(both[[np.argmin(abs(both - start))]])

    def refined(self, ends: Array, start: complex, T: float, count: int) -> tuple[float, float]:
        """Depth [m] and frequency [Hz] between two where ωT is `count` turns and the phase by z."""

        def excess(hertz: float) -> float:
            return hertz * T - count - _phase(self.near(hertz, start)).item() / (2 * np.pi)

        hertz = float(brentq(excess, *ends, xtol=1e-14, rtol=1e-14))
        return _depth(self.near(hertz, start)).item(), hertz

    def minimum(self, hertz: Array, z: AnyArray) -> float:
        """Depth [m] below which there is no limit at any speed."""
        place, of = divmod(int(_depth(z).argmin()), z.shape[1])
        ends = hertz[max(place - 1, 0)], hertz[min(place + 1, len(hertz) - 1)]
        found = minimize_scalar(
            lambda h: _depth(self.near(h, z[place, of])).item(), bounds=ends, method="bounded"
        )
        return min(float(found.fun), float(_depth(z)[place, of]))


def _searched(system: StateSpace, per_half_width: int = PER_HALF_WIDTH) -> Array:
    """Frequencies [Hz] at which limits are looked for: many within each resonance's width."""
    poles = system.poles()
    poles = poles[poles.imag > 0]
    if not len(poles) or not (poles.real < -ROUNDING * np.abs(poles)).all():
        raise GoughError("the system has undamped or unstable modes; expected a damping_ratio")
    own, width = np.abs(poles) / (2 * np.pi), -poles.real / (2 * np.pi)
    steps = np.sinh(np.linspace(-8, 8, 16 * per_half_width))
    around = (own[:, None] + width[:, None] * steps).ravel()
    return np.unique(around[(around > 0.05 * own.min()) & (around < 4 * own.max())])


def _depth(z: AnyArray) -> Array:
    """Depth [m] at the limit by z = b (1 - exp(-iωT)); infinite where there is no such depth."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(z.real > 0, np.abs(z) ** 2 / (2 * z.real), np.inf)


def _phase(z: AnyArray) -> Array:
    """ωT [rad] from 0 to 2π, by z = b (1 - exp(-iωT))."""
    return np.mod(-np.angle(1 - z / _depth(z)), 2 * np.pi)


def _limit(plane: _PlaneResponse, hertz: Array, z: AnyArray, period: float) -> tuple[float, float]:
    """The smallest depth [m] at the limit with a tooth period [s], and its frequency [Hz]."""
    best = (np.inf, np.nan)
    for branch in z.T:
        turns = hertz * period - np.where(branch.real > 0, _phase(branch), np.nan) / (2 * np.pi)
        full = np.floor(turns)
        crossed = np.flatnonzero(np.abs(np.diff(full)) > 0)  # not where there is no depth: NaN
        depths = np.minimum(_depth(branch)[crossed], _depth(branch)[crossed + 1])
        for place in np.argsort(depths):
            if depths[place] > best[0] * (1 + 3 / PER_HALF_WIDTH):
                break
            cell = slice(crossed[place], crossed[place] + 2)
            for count in range(int(full[cell].min()) + 1, int(full[cell].max()) + 1):
                best = min(best, plane.refined(hertz[cell], branch[cell][0], period, count))
    return best
