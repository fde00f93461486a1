"""Inertial sensors on the platform: an accelerometer and a gyroscope, at one place."""

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.errors import InputError
from gough.fields import quantities as q
from gough.fields.table import CheckedTable, entry, optional
from gough.motion import MotionSamples
from gough.motion.table_parts import PoseTable
from gough.poses import quaternions

_ORIGIN = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


class Imu(PoseTable, CheckedTable):
    """The [simulation.imu] table: accelerometer and gyroscope, at a pose in the platform frame.

    What it does not say of the pose is as in the platform frame. They read the specific force, at
    rest 9.81 m/s^2 upwards, and the angular velocity, in their own axes.
    """

    accelerometer_noise: q.AccelerationNoise = entry("Standard deviation of readings [m/s^2].", 0.0)
    accelerometer_bias: q.Acceleration = entry("Constant error of readings [m/s^2].", (0, 0, 0))
    gyroscope_noise: q.AngularSpeedNoise = entry("Standard deviation of readings [rad/s].", 0.0)
    gyroscope_bias: q.AngularVelocity = entry("Constant error of readings [rad/s].", (0, 0, 0))
    rate: q.SampleRate | None = optional(
        "Readings a second [1/s], held in between. Left out: one a period."
    )

    def exact(self, motion: MotionSamples, gravity: ArrayLike) -> tuple[Array, Array]:
        """Return the specific force (T, 3) Rᵀ(a - g) [m/s^2] and Rᵀω [rad/s], in their axes."""
        attitude, own = quaternions.unit(motion.pose[:, 3:]), self.pose(_ORIGIN)
        r = quaternions.rotated(attitude, own[:3])
        omega, alpha = motion.twist[:, 3:], motion.acceleration[:, 3:]
        a = motion.acceleration[:, :3] + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))
        turn = quaternions.conjugate(quaternions.product(attitude, quaternions.unit(own[3:])))
        return quaternions.rotated(turn, a - np.asarray(gravity)), quaternions.rotated(turn, omega)

    def read(
        self, motion: MotionSamples, gravity: ArrayLike, period: float, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Return the readings (T, 3) by quantity, at samples that are a period [s] apart."""
        held = np.arange(len(motion.pose)) // self.held_samples(period) * self.held_samples(period)
        noise = rng.normal(size=(2, len(held), 3))
        accelerometer, gyroscope = self.exact(motion, gravity)
        accelerometer += self.accelerometer_bias + self.accelerometer_noise * noise[0]
        gyroscope += self.gyroscope_bias + self.gyroscope_noise * noise[1]
        return {
            "measured_acceleration": accelerometer[held],
            "measured_angular_velocity": gyroscope[held],
        }

    def held_samples(self, period: float) -> int:
        """Return the number of samples for which a reading is held."""
        count = 1.0 if self.rate is None else 1.0 / (self.rate * period)
        if count < 1 - 1e-9 or abs(count - round(count)) > 1e-6 * count:
            expected = f"{1 / period:.6g} Hz of the controller's samples over a whole number"
            raise InputError("not at samples", key="imu.rate", value=self.rate, expected=expected)
        return round(count)

    def described(self) -> PlainData:
        """Return its numbers by names with units."""
        units = {"rate": "Hz", "accelerometer": "m/s^2", "gyroscope": "rad/s"}
        own = {n: x for n, x in self if n.partition("_")[0] in units and x is not None}
        pose = self.pose(_ORIGIN).tolist()
        place = {"position [m]": pose[:3], "quaternion [–]": pose[3:]}
        return place | {f"{n} [{units[n.partition('_')[0]]}]": x for n, x in own.items()}
