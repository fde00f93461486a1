"""Inertial sensors on the platform: an accelerometer and a gyroscope, at one place."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks import require_not_negative, require_positive, require_row
from gough.disk.plain_data import PlainData
from gough.errors import InputError
from gough.motion import MotionSamples
from gough.poses import quaternions

_ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Imu:
    """Accelerometer and gyroscope on the platform; by default exact, at its origin."""

    pose: tuple[float, ...] = (*_ZERO, 1.0, *_ZERO)
    """Their place [m] and axes in the platform frame: x y z, quaternion w x y z."""
    accelerometer_noise: float = 0.0
    """Standard deviation of each of its readings [m/s^2]."""
    accelerometer_bias: tuple[float, ...] = _ZERO
    """Constant error of its readings [m/s^2], along its axes."""
    gyroscope_noise: float = 0.0
    """Standard deviation of each of its readings [rad/s]."""
    gyroscope_bias: tuple[float, ...] = _ZERO
    """Constant error of its readings [rad/s], along its axes."""
    rate: float | None = None
    """Readings a second [Hz], held in between; None: one for each sample of the controller."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name.endswith("noise"):
                require_not_negative(f"imu: {name}", value)
            elif name != "rate":
                require_row(f"imu: {name}", value, 7 if name == "pose" else 3)
        if not np.any(self.pose[3:]):
            raise InputError("a quaternion of zero", key="imu.pose", expected="any other w x y z")
        if self.rate is not None:
            require_positive("imu: rate", self.rate, "Hz")

    def exact(self, motion: MotionSamples, gravity: ArrayLike) -> tuple[Array, Array]:
        """Return the specific force (T, 3) Rᵀ(a - g) [m/s^2] and Rᵀω [rad/s], in their axes."""
        attitude, own = quaternions.unit(motion.pose[:, 3:]), np.array(self.pose)
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
        known = {n: x for n, x in vars(self).items() if x is not None and n != "pose"}
        place = {"position [m]": self.pose[:3], "quaternion [–]": self.pose[3:]}
        return place | {f"{n} [{units[n.partition('_')[0]]}]": x for n, x in known.items()}
