"""Surfaces that a point of the platform may lean on, as files and Python state them."""

from pathlib import Path
from typing import Annotated, Any, Literal

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.forces.contact import ContactSurface
from gough.equations.forces.surfaces import HeightMap, Plane, RoundSurface, SurfaceShape
from gough.errors import InputError, named_by
from gough.fields import quantities as q
from gough.fields import read_text
from gough.fields.table import CheckedTable, entry, optional
from gough.fields.values import OneOf
from gough.robot.mesh import METRES

FEWEST, MOST_HEIGHTS = 4, 1024  # heights along a side, and of all: they are in the equations
_KEYS = {
    "sphere": ("radius", "concave"),
    "cylinder": ("radius", "concave", "axis"),
    "height-map": ("size", "heights", "file", "unit"),
}
"""Keys of surfaces by kind, beside those of all."""
_NEEDED = {"radius": "a length [m]", "axis": "the cylinder's direction", "size": "x and y [m]"}


class WorkSurface(CheckedTable):
    """The [plant.surface] table: something that a point of the platform may lean on."""

    kind: Literal["plane", "sphere", "cylinder", "height-map"] = entry("Its shape.", "plane")
    tool: q.Point = entry("The platform's point [m], platform frame.", (0.0, 0.0, 0.0))
    point: q.Point = entry("A point of the surface [m], base frame; the middle of a height map.")
    normal: q.Direction = entry("Out of the material at this point, base axes.", (0.0, 0.0, 1.0))
    stiffness: q.Stiffness = entry("Stiffness of the surface [N/m].")
    restitution: q.Restitution = entry(
        "Speed after an impact over speed before it, from 0 to 1.", 0.5
    )
    friction: q.NotNegative = entry("Coefficient of dry friction.", 0.0)
    max_force: q.Force | None = optional("Maximum contact force [N]: a limit to be checked.")
    radius: q.PositiveLength | None = optional("Radius of a sphere or cylinder [m].")
    concave: q.YesOrNo = entry("Whether a sphere or cylinder is hollow, as a mirror is.", False)
    axis: q.Direction | None = optional("Direction of a cylinder, across the normal, base axes.")
    size: q.PositiveSize | None = optional(
        "Size of a height map [m] along x, the base's projected across the normal, and y."
    )
    heights: tuple[tuple[q.Length, ...], ...] | None = optional(
        "Heights of a map along the normal [m], on equal steps: a row along x for each y."
    )
    file: str | None = optional("Instead of heights: a CSV file of such rows.", min_length=1)
    unit: Annotated[str, OneOf(tuple(METRES))] = entry("Length unit of the file.", "m")

    def _check(self) -> None:
        given = {key for key in self.model_fields_set if getattr(self, key) is not None}
        for key in dict.fromkeys(key for keys in _KEYS.values() for key in keys):
            users = [kind for kind, keys in _KEYS.items() if key in keys]
            if key in given and self.kind not in users:
                raise InputError(f"not used by {self.kind}; only by {', '.join(users)}", key=key)
            if key in _NEEDED and self.kind in users and key not in given:
                raise InputError("missing", key=key, expected=_NEEDED[key])
        if self.kind == "height-map" and len(given & {"heights", "file"}) != 1:
            raise InputError("given twice or not at all", key="heights", expected="heights or file")
        if "unit" in given and self.file is None:
            raise InputError("not used by heights", key="unit", expected="a file, or heights [m]")
        if self.axis is not None and abs(np.dot(self.axis, self.normal)) > 1e-6:
            expected = f"a direction across {list(self.normal)}"
            raise InputError("along the normal", key="axis", value=self.axis, expected=expected)

    @property
    def contact(self) -> ContactSurface:
        """The surface as the equations take it; its file is read."""
        k, e, mu = map(ca.DM, (self.stiffness, self.restitution, self.friction))
        return ContactSurface(ca.DM(self.tool), self._shape(), k, e, mu, max_force=self.max_force)

    def _shape(self) -> SurfaceShape:
        place = (ca.DM(self.point), ca.DM(self.normal))
        if self.radius is not None:
            radius = ca.DM(-self.radius if self.concave else self.radius)
            return RoundSurface(*place, radius, None if self.axis is None else ca.DM(self.axis))
        if self.size is None:
            return Plane(*place)
        grid = self._rows().T
        fits = grid.ndim == 2 and min(grid.shape) >= FEWEST and grid.size <= MOST_HEIGHTS
        if not fits or not np.isfinite(grid).all():
            expected = f"equal rows, at least {FEWEST} by {FEWEST}, at most {MOST_HEIGHTS} heights"
            raise InputError(f"shape {grid.T.shape}", key="heights", expected=expected)
        step = ca.DM(self.size) / (ca.DM(grid.shape) - 1)
        return HeightMap(*place, step, ca.DM(_spline(grid)))

    def _rows(self) -> Array:
        """Return the heights [m]; without columns if rows differ in length."""
        if self.file is None:
            rows = self.heights or ()
            return np.array(rows if len({len(row) for row in rows}) == 1 else [0.0])
        with named_by("file", Path(self.file)):
            text = read_text(Path(self.file), "a CSV file of heights")
            try:
                return METRES[self.unit] * np.loadtxt(text.splitlines(), delimiter=",", ndmin=2)
            except ValueError as error:
                raise InputError(str(error), expected="rows of numbers and commas") from None


def _spline(grid: Any) -> Any:
    """Return B-spline coefficients (n + 2, m + 2) of heights (n, m), not-a-knot at the edges."""
    for _ in range(2):  # along each side in turn
        n = len(grid)
        A = np.zeros((n + 2, n + 2))
        for k in range(n):
            A[k + 1, k : k + 3] = 1 / 6, 4 / 6, 1 / 6
        A[0, :5] = A[-1, -5:] = 1, -4, 6, -4, 1  # the third derivative does not jump
        grid = np.linalg.solve(A, np.pad(grid, ((1, 1), (0, 0)))).T
    return grid
