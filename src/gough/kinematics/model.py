"""A robot's model: its kernels, and the algorithms of kinematics as methods.

An algorithm is imported when it is first used (`gough.kinematics` is lazy): most programs need few.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from gough import kinematics
from gough.arrays import Array
from gough.model.kernels import JointReactions, Kernels
from gough.robot import Robot

if TYPE_CHECKING:
    from control import StateSpace

    from gough.compiler.native.kernel import Kernel


class Model(Kernels):
    """A robot's equations, ready to run: `model.inverse_kinematics(pose)` and so on.

    Every kernel broadcasts over leading axes; `help(model.jacobian)` shows shapes, units and
    meaning. With `parametric=True` every kernel takes the robot's numbers as a first argument,
    one set for the whole batch or one per sample: `model.jacobian(model.parameters, pose)`. With
    names of numbers of the robot's file, such as `parametric=["leg.links[*].length"]`, it takes
    these alone, and everything that follows from them changes with them, the geometry too.
    Kernels answer for the branch (working mode) of the home configuration; with `branch=[...]` for
    another one, and with `branch=True` every kernel takes the branch as an input before the pose.
    `formulation` selects the derivation of the dynamics: "newton-euler", "lagrange",
    "virtual-work", "kane" or "recursive" give the same numbers, "point-mass-legs" and
    "gravity-only-legs" approximate.

    With `moving_base=True` kernels of forces, energy and momentum first take pose, twist and
    acceleration of the base in the world, in world axes: `model.inverse_dynamics(base_pose,
    base_twist, base_acceleration, pose, ...)`. Pose, twist and acceleration of the platform stay
    relative to the base and, like the wrench, in base axes; gravity is that of the world.

    >>> import gough
    >>> model = gough.Model(gough.load("kalani-2016"))
    >>> model.inverse_dynamics(gough.pose([0, 0, 1])).round(3).tolist()  # [N], at rest
    [4.039, 4.039, 4.039, 4.039, 4.039, 4.039]
    """

    def forward_kinematics(
        self, q: ArrayLike, guess: ArrayLike | None = None, **options: Any
    ) -> kinematics.ForwardKinematics:
        """Find poses at positions q [m, rad]: see `gough.kinematics.forward_kinematics`."""
        return kinematics.forward_kinematics(self, q, guess, **options)

    def possible_pose(self, pose: ArrayLike) -> kinematics.PossiblePose:
        """Return possible poses with the independent coordinates of these."""
        return kinematics.possible_pose(self, pose)

    def gap(self, pose: ArrayLike) -> Array:
        """Return the violation of platform constraints at poses (...) [m, rad], to first order."""
        from gough.kinematics.freedoms.nearest_pose import gap  # noqa: PLC0415

        return gap(self, pose)

    def assembly_modes(self, q: ArrayLike) -> kinematics.AssemblyModes:
        """Find all poses at positions q of the motors: see `gough.kinematics.assembly_modes`."""
        return kinematics.assembly_modes(self, q)

    def branches(self, pose: ArrayLike) -> kinematics.Branches:
        """Return all branches at a pose (7), and working modes: see `gough.kinematics.branches`."""
        return kinematics.branches(self, pose)

    def minimum_norm_reactions(
        self,
        pose: ArrayLike,
        twist: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        wrench: ArrayLike | None = None,
    ) -> JointReactions:
        """Compute reactions, with the minimum-norm solution for those that are not determined.

        Of all solutions that with the minimum sum of squares, moments over the machine's size: that
        of equally compliant joints. `reactions` returns NaN for these.
        """
        from gough.model.mechanism.minimum_norm import minimum_norm_reactions  # noqa: PLC0415

        return minimum_norm_reactions(self, pose, twist, acceleration, wrench)

    def quantity(self, name: str) -> Kernel:
        """Return the kernel of a quantity, such as `condition`: see `gough.kinematics.quantity`."""
        return kinematics.quantity(self, name)

    def singularity(self, pose: ArrayLike, **options: Any) -> kinematics.Singularity:
        """Compute distances to singularities, and the motion: see `gough.kinematics.Singularity`.

        Options are a `characteristic_length` [m], and `parameters` of a parametric model.
        """
        from gough.kinematics.singularity.singularity import singularity  # noqa: PLC0415

        return singularity(self, pose, **options)

    def wrench_capacity(
        self, pose: ArrayLike, *state: ArrayLike | None, **options: Any
    ) -> kinematics.WrenchCapacity:
        """Compute the wrench capacity of the platform: see `gough.kinematics.wrench_capacity`."""
        return kinematics.wrench_capacity(self, pose, *state, **options)

    def travel(self, pose: ArrayLike | None = None, **options: Any) -> kinematics.Travels:
        """Compute the travel along each degree of freedom alone: see `gough.kinematics.travel`."""
        return kinematics.travel(self, pose, **options)

    def workspace_box(self, *halves: Sequence[float], **options: Any) -> kinematics.WorkspaceBox:
        """Whether it reaches a box of poses [m, rad]: see `gough.kinematics.workspace_box`."""
        return kinematics.workspace_box(self, *halves, **options)

    def over(self, name: str, *halves: Any, **inputs: Any) -> Any:
        """Bound a kernel over all poses of a box [m, rad]: see `gough.kinematics.over`."""
        return kinematics.over(self, name, *halves, **inputs)

    def prove(self, *halves: Any, **options: Any) -> kinematics.Proof:
        """Prove that all poses of a box respect all limits: see `gough.kinematics.prove`."""
        return kinematics.prove(self, *halves, **options)

    def state_space(self, pose: ArrayLike, *state: ArrayLike | None, **options: Any) -> StateSpace:
        """Linearise the machine at a state (7): see `gough.kinematics.state_space`."""
        return kinematics.state_space(self, pose, *state, **options)


def model_of(robot: Robot | Model) -> Model:
    """Return the model of a robot, or the one that is given."""
    return robot if isinstance(robot, Model) else Model(robot)
