"""Kernels of a machine of any kind, compiled once for all tests."""

from functools import cache

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.equations.mechanism import (
    coriolis,
    decomposition,
    dynamics,
    joint_space,
    kinematics,
    linearization,
    mass_centers,
    places,
    reactions,
    singularity,
)
from gough.model.mechanism import analysed

POSE, TWIST = Argument("pose", (7,)), Argument("twist", (6,))
ACCELERATION, WRENCH = Argument("acceleration", (6,)), Argument("wrench", (6,))
MOTION = (POSE, TWIST, ACCELERATION)


class Kernels:
    """What the equations of a machine say, as functions of arrays."""

    def __init__(self, mechanism):
        self.mechanism = mechanism
        self.analysis = analysed(mechanism)
        self.machine = self.analysis.machine
        self.motors, self.freedoms = len(self.machine.motors), self.machine.freedom.S.shape[0]

    def __getattr__(self, name):
        if name not in self._definitions():
            raise AttributeError(name)
        kernel = Kernel(self.function(name))
        self.__dict__[name] = kernel
        return kernel

    def function(self, name):
        equation, inputs, outputs = self._definitions()[name]
        return Function.from_equation(name, lambda *x: equation(self.machine, *x), inputs, outputs)

    def _definitions(self):
        n, m = self.freedoms, self.motors
        joints, bodies = len(self.analysis.joints), len(self.analysis.bodies)
        rows = len(self.analysis.reactions)
        both = (
            Argument("force", (rows, 3), "N", "first body on second, joint axes"),
            Argument("moment", (rows, 3), "N m", "the same, about the joint's centre"),
        )
        force = Argument("force", (m,))
        q = Argument("q", (m,))
        return {
            "inverse_kinematics": (kinematics.inverse_kinematics, (POSE,), (q,)),
            "jacobian": (kinematics.jacobian, (POSE,), (Argument("J", (m, 6)),)),
            "moves": (kinematics.moves, (POSE,), (Argument("T", (6, n)),)),
            "joint_velocity": (kinematics.joint_velocity, (POSE, TWIST), (q,)),
            "joint_acceleration": (
                kinematics.joint_acceleration,
                MOTION,
                (q,),
            ),
            "all_joints": (
                kinematics.all_joints,
                MOTION,
                tuple(Argument(name, (joints,)) for name in ("q", "v", "a")),
            ),
            "inverse_dynamics": (
                dynamics.inverse_dynamics,
                (*MOTION, WRENCH),
                (force,),
            ),
            "forward_dynamics": (
                dynamics.forward_dynamics,
                (POSE, TWIST, force, WRENCH),
                (ACCELERATION,),
            ),
            "mass_matrix": (dynamics.mass_matrix, (POSE,), (Argument("M", (n, n)),)),
            "bias": (dynamics.bias, (POSE, TWIST), (Argument("c", (n,)),)),
            "gravity": (dynamics.gravity, (POSE,), (Argument("g", (n,)),)),
            "admissible": (kinematics.admissible, (POSE, TWIST), (TWIST,)),
            "actuation_matrix": (singularity.actuation_matrix, (POSE,), (Argument("JT", (m, n)),)),
            "constraint_matrix": (
                singularity.constraint_matrix,
                (POSE,),
                (Argument("K", (6 - n, 6 - n)),),
            ),
            "passive_pivots": (
                singularity.passive_pivots,
                (POSE,),
                (Argument("pivots", (sum(len(leg.plan.stages) for leg in self.machine.legs),)),),
            ),
            "serial_pivots": (
                singularity.serial_pivots,
                (POSE,),
                (Argument("pivots", (len({leg for leg, _ in self.machine.motors}),)),),
            ),
            "coriolis_matrix": (
                coriolis.coriolis_matrix,
                (POSE, TWIST),
                (Argument("C", (n, n), "kg/s, kg m/s, kg m^2/s", "d/dt M - 2 C is skew"),),
            ),
            "jacobian_rate": (
                joint_space.jacobian_rate,
                (POSE, TWIST),
                (Argument("J_dot", (m, 6), "SI", "d/dt J; row i belongs to motor i"),),
            ),
            "joint_mass_matrix": (
                joint_space.joint_mass_matrix,
                (POSE,),
                (Argument("M_q", (m, m), "kg, kg m, kg m^2", "mass matrix on the motors"),),
            ),
            "joint_coriolis_matrix": (
                joint_space.joint_coriolis_matrix,
                (POSE, TWIST),
                (
                    Argument(
                        "C_q", (m, m), "kg/s, kg m/s, kg m^2/s", "Coriolis matrix on the motors"
                    ),
                ),
            ),
            "joint_gravity": (joint_space.joint_gravity, (POSE,), (force,)),
            "actuator_power": (
                joint_space.actuator_power,
                (*MOTION, WRENCH),
                (Argument("power", (m,), "W", "of each motor"),),
            ),
            "reactions": (reactions.reactions, (*MOTION, WRENCH), both),
            "all_reactions": (reactions.all_reactions, (*MOTION, WRENCH), both),
            "reaction_axes": (
                reactions.reaction_axes,
                (POSE,),
                (
                    Argument("centers", (rows, 3), "m", "where reactions count, base axes"),
                    Argument("axes", (rows, 3, 3), "1", "x, y, z of each joint as rows, base axes"),
                    Argument("second_axes", (rows, 3), "1", "of universal joints, else zero"),
                ),
            ),
            "linearize": (
                linearization.linearize,
                (POSE, TWIST, force, WRENCH),
                (
                    Argument("A", (2 * n, 2 * n), "SI", "state matrix, of moves and u"),
                    Argument("B", (2 * n, m), "SI", "input matrix, from efforts"),
                ),
            ),
            "force_parts": (
                decomposition.force_parts,
                (*MOTION, WRENCH),
                tuple(
                    Argument(name, (m,), "N m, N", "share of the efforts")
                    for name in ("gravity", "acceleration", "velocity", "external")
                ),
            ),
            "momentum": (
                mass_centers.momentum,
                (POSE, TWIST),
                (
                    Argument(
                        "momentum", (6,), "kg m/s, kg m^2/s", "linear; angular about base origin"
                    ),
                ),
            ),
            "mass_center_position": (
                mass_centers.mass_center_position,
                (POSE,),
                (Argument("position", (bodies, 3), "m", "a row for each body, base axes"),),
            ),
            "mass_center_velocity": (
                mass_centers.mass_center_velocity,
                (POSE, TWIST),
                (Argument("velocity", (bodies, 3), "m/s", "a row for each body, base axes"),),
            ),
            "mass_center_acceleration": (
                mass_centers.mass_center_acceleration,
                MOTION,
                (Argument("acceleration", (bodies, 3), "m/s^2", "a row for each body, base axes"),),
            ),
            "joint_centers": (
                places.joint_centers,
                (POSE,),
                (Argument("centers", (len(self.analysis.centers), 3), "m", "base axes"),),
            ),
            "joint_tilts": (
                places.joint_tilts,
                (POSE,),
                (Argument("tilts", (len(self.analysis.tilts),), "rad", "away from home, 0 to π"),),
            ),
            "energy": (dynamics.energy, (POSE, TWIST), (Argument("energy", (2,)),)),
        }


@cache
def kernels(mechanism):
    return Kernels(mechanism)
