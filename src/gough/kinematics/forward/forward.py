"""Forward kinematics: the platform's pose at given positions q, in batches and along paths."""

from collections import Counter
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.compiler import kernel_of, remembered
from gough.compiler.native.argument_arrays import fitted
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table
from gough.errors import GoughError, KernelArgumentError
from gough.kinematics.forward.kernel import (
    GUESS,
    RESULTS,
    forward_function,
    lengths_of,
    path_kernel,
)
from gough.kinematics.forward.searches import METHODS, search_of
from gough.kinematics.forward.status import AT_MOST, DOUBLE, STRIDE, Status
from gough.kinematics.freedoms.nearest_pose import projected_poses
from gough.model import Kernels, machine_of
from gough.model.kernels import kernels_of
from gough.model.machines import home_kernel
from gough.poses import Frames
from gough.poses.rows import frame_tables, pose_rows
from gough.robot import Robot

Method = Literal["newton", "third-order"]


@dataclass(frozen=True)
class ForwardKinematics(Displayable):
    """Poses at given positions of the actuators, for a batch `(...)`, with residuals and status.

    >>> import gough
    >>> model = gough.Model(gough.load("kalani-2016"))
    >>> found = model.forward_kinematics(model.inverse_kinematics(gough.pose([0, 0, 1.1])))
    >>> bool(found.converged), float(found.pose[2].round(6))
    (True, 1.1)
    """

    pose: Array
    """(..., 7) x y z [m] and quaternion w x y z of length one; NaN where none was found."""
    residual: Array
    """(...) maximum error of a leg's length or an actuator's position [m, rad], of the last pose
    tried."""
    iterations: AnyArray
    """(...) number of steps."""
    status: AnyArray
    """(...) a `Status` each; OUTSIDE_STROKE, OTHER_ASPECT and UNCERTAIN come with a pose too."""

    result_kind: ClassVar = "forward kinematics"

    @property
    def converged(self) -> AnyArray:
        """(...) whether there is a pose without any reservation."""
        return np.equal(self.status, Status.CONVERGED)

    def tables(self, frames: Frames | None = None) -> list[Table]:
        """One pose with its status; of several, the number of poses of each status."""
        words = [Status(k).name.lower().replace("_", " ") for k in np.ravel(self.status)]
        if self.pose.ndim > 1:
            return [Table.of("", ("status", "poses"), Counter(words).items())]
        rows = [*pose_rows(self.pose, frames), ("residual", float(self.residual), "m, rad")]
        rows += [("iterations", int(self.iterations), ""), ("status", words[0], "")]
        return [*frame_tables(frames), Table.properties("", rows)]

    def to_dict(self) -> PlainData:
        """Everything as plain data; status by name."""
        names = [Status(k).name.lower() for k in np.ravel(self.status)]
        return {**vars(self), "status": names if np.ndim(self.status) else names[0]}


def forward_kinematics(
    robot: Robot | Kernels,
    q: ArrayLike,
    guess: ArrayLike | None = None,
    *,
    method: Method = "newton",
    along: bool = False,
    tolerance: float = DOUBLE.tolerance,
    stride: float = STRIDE,
    at_most: int = AT_MOST,
    parameters: ArrayLike | None = None,
    branch: ArrayLike | None = None,
    threads: int | None = None,
) -> ForwardKinematics:
    """Find poses at positions q (..., n) of actuators, leg lengths of a hexapod, iteratively.

    The search starts at `guess`: poses (..., 7), "home" (the default), or "neural", a small network
    from leg lengths to poses that is trained when it is first needed. With `along`, the axis before
    the last one is a path (..., samples, n): `guess` is for its first sample, each other one starts
    at the pose of the sample before, and so follows its assembly mode.

    The `method` is "newton", or for hexapods "third-order" (fewer, more expensive steps). It ends
    when a step is at most `tolerance`, relative to the machine's size and in radians; no step is
    longer than `stride` (infinite for the plain method), and there are `at_most` of them.

    Up to forty poses share the same leg lengths: the one that is found is a solution near the
    guess, and the right one if the guess is near enough. Where det J has another sign than at the
    guess (along a path: than at its first guess; for "neural": than at home), the two are separated
    by a singularity, and the status is OTHER_ASPECT. Along a path, assembly modes meet at
    singularities, and leg lengths do not determine the branch: after det J falls by more than 30 %
    within one sample, or the platform jumps, the status is UNCERTAIN.

    Of mechanisms a pose with a leg in another working mode than at home is behind a singularity,
    too: OTHER_ASPECT. With more motors than degrees of freedom, the pose is the one that fits q
    best; if it does not fit, the status is IMPOSSIBLE_LENGTHS.

    A parametric model takes the robot's numbers as `parameters`, (..., p), by default its own; a
    model with the branch as an input takes `branch`, (..., b), by default that of home.
    """
    model = kernels_of(robot)
    if method not in METHODS:
        known = " or ".join(repr(name) for name in METHODS)
        raise GoughError(f"forward_kinematics: unknown method {method!r}; expected {known}")
    for name, value in (("tolerance", tolerance), ("stride", stride)):
        if not isinstance(value, Real) or not value > 0:
            raise GoughError(f"forward_kinematics: {name} is {value!r}; expected a number above 0")
    if isinstance(at_most, bool) or not isinstance(at_most, int | np.integer) or at_most < 1:
        raise GoughError(f"forward_kinematics: at_most is {at_most}; expected an integer above 0")
    control = np.array([tolerance, stride])
    numbers = model.numbers(parameters=parameters, branch=branch)
    if along:
        return _along(model, q, guess, control, numbers, method, at_most)
    start, side = _start(model, q, guess, numbers)
    kernel = kernel_of(forward_function, model.machines, method, at_most)
    return _result(*kernel(*numbers, q, start, side, control, threads=threads))


def _along(
    model: Kernels,
    q: ArrayLike,
    guess: ArrayLike | None,
    control: Array,
    numbers: list[Array],
    method: str,
    at_most: int,
) -> ForwardKinematics:
    lengths = fitted("forward_kinematics", lengths_of(model.machines), q)
    if lengths.ndim < 2:
        raise KernelArgumentError(
            f"forward_kinematics: argument 'q' has shape {lengths.shape}; "
            f"expected (..., samples, {lengths.shape[-1]}) along a path"
        )
    *batch, samples, legs = lengths.shape
    sequences = int(np.prod(batch))
    if lengths.size == 0:
        return _result(*(np.empty((*batch, samples, *core)) for core in ((7,), (), (), ())))
    inputs: dict[str, Any] = dict(zip(model.machines.own, numbers, strict=True))
    for name, value in inputs.items():
        if value.ndim > 1:
            raise KernelArgumentError(
                f"forward_kinematics: along a path, {name} are one set for all samples; got shape "
                f"{value.shape}"
            )
    start, side = _start(model, lengths[..., 0, :], guess, numbers)
    try:
        known = np.isfinite(start).all(-1, keepdims=True)  # a network's answer to NaN is not
        start = np.where(known, start, _home(model, numbers))
        first = np.broadcast_to(start, (*batch, 7)).reshape(sequences, 7)
    except ValueError:
        problem = f"forward_kinematics: argument 'guess' has shape {np.shape(start)}"
        raise KernelArgumentError(f"{problem}; expected one pose per path, {(*batch, 7)}") from None
    inputs |= {"q": np.moveaxis(lengths.reshape(sequences, samples, legs), 1, 0), "guess": first}
    inputs |= {"side": side, "control": control, "last_determinant": 0.0, "doubt": 0.0}
    found = path_kernel(model.machines, method, at_most)(inputs)
    by_path = [np.moveaxis(found[result.name], 0, 1) for result in RESULTS]
    return _result(*(a.reshape(*batch, samples, *a.shape[2:]) for a in by_path))


def _result(pose: Array, residual: Array, iterations: Array, status: Array) -> ForwardKinematics:
    counts = np.asarray(iterations).astype(np.intp), np.asarray(status).astype(np.int8)
    return ForwardKinematics(pose, residual, *counts)


def _start(
    model: Kernels, q: ArrayLike, guess: ArrayLike | None, numbers: list[Array]
) -> tuple[Array, Array]:
    """Start of the search, and the sign of det J that belongs to it; 0: that at the start."""
    if isinstance(guess, str) and guess not in ("home", "neural"):
        raise GoughError(
            f'forward_kinematics: unknown guess {guess!r}; expected a pose, "home" or "neural"'
        )
    if isinstance(guess, str) and guess == "neural":
        if model.parametric and not np.array_equal(numbers[0], model.parameters):
            raise GoughError(
                'forward_kinematics: guess "neural" knows the model\'s own robot, not one of '
                'other parameters; expected a pose or "home"'
            )
        own = getattr(model.robot, "branch", None)
        other = model.branch and not np.array_equal(numbers[-1], model.machines.own["branch"])
        if other or (own and any(leg.iterated for leg in machine_of(model.robot).legs)):
            raise GoughError(
                'forward_kinematics: guess "neural" knows the branch of the model\'s own robot, in '
                'closed form, and not this one; expected a pose or "home"'
            )
        from gough.kinematics.forward.neural import neural_start  # noqa: PLC0415  (SciPy, scikit-learn)

        start = neural_start(model.robot)(q)
        return projected_poses(model.robot, start), _side_of_home(model.robot)
    if guess is None or isinstance(guess, str):
        return _home(model, numbers), np.zeros(())
    return projected_poses(model.robot, _checked(guess)), np.zeros(())


@remembered
def _side_of_home(robot: Robot) -> Array:
    return np.asarray(search_of(robot, "newton").side_at(machine_of(robot), robot.home))


def _home(model: Kernels, numbers: list[Array]) -> Array:
    """The home pose: of the parameters, if the model takes some."""
    if model.parametric:
        return np.asarray(home_kernel(model.machines)(*numbers))
    return np.array(model.robot.home)


def _checked(guess: ArrayLike) -> Array:
    """The guess, if every entry of it is a pose."""
    poses = fitted("forward_kinematics", GUESS, guess)
    squares = np.einsum("...i,...i->...", poses[..., 3:], poses[..., 3:])
    good = (squares > 1e-200) & (squares < 1e200) & np.isfinite(poses).all(-1)
    if not good.all():
        first = tuple(int(k) for k in np.argwhere(~good)[0])
        where = f"guess{list(first)}" if first else "the guess"
        problem = f"forward_kinematics: {where} is not a pose: {poses[first].tolist()}"
        raise GoughError(f"{problem}; expected finite numbers and a quaternion that is not zero")
    return poses
