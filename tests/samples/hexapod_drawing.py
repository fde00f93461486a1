"""A hexapod's robot file drawn as a machine of any kind, leg by leg."""

import numpy as np
from drawings import Body, Joint, Mechanism, Platform
from scipy.spatial.transform import Rotation


def drawn_hexapod(robot):
    """Draw a robot with UPS or SPS legs at its home pose."""
    p = np.array(robot.platform.home.position)
    w, x, y, z = robot.platform.home.quaternion
    R = Rotation.from_quat([x, y, z, w]).as_matrix()
    bodies, joints = [], []
    for i, leg in enumerate(robot.legs):
        base, top = np.array(leg.base), p + R @ leg.platform
        length = float(np.linalg.norm(top - base))
        s = (top - base) / length
        first = leg.first_axis or _tuple(np.cross(s, [0.3, 0.4, 0.5]))
        across = np.cross(first, s)
        across /= np.linalg.norm(across)
        axes = np.column_stack([across, np.cross(s, across), s])
        cylinder, piston = f"cylinder{i}", f"piston{i}"
        bodies.append(_body(cylinder, leg.cylinder, base + leg.cylinder.center_of_mass * s, axes))
        bodies.append(_body(piston, leg.piston, top - leg.piston.center_of_mass * s, axes))
        axes_of_joint = (first, _tuple(across)) if leg.kind == "UPS" else ()
        joints += [
            Joint(f"u{i}", leg.kind[0], ("base", cylinder), leg.base, axes_of_joint),
            Joint(f"p{i}", "P", (cylinder, piston), leg.base, (_tuple(s),), True, length),
            Joint(f"s{i}", "S", (piston, "platform"), _tuple(top)),
        ]
    body = robot.platform
    platform = Platform(
        body.mass, body.inertia, body.center_of_mass, body.home.position, body.home.quaternion
    )
    return Mechanism(robot.name, platform, tuple(bodies), tuple(joints), robot.gravity)


def _body(name, part, center, axes):
    inertia = axes @ np.array(part.inertia) @ axes.T
    return Body(name, part.mass, _tuple(center), tuple(map(_tuple, (inertia + inertia.T) / 2)))


def _tuple(vector):
    return tuple(float(x) for x in vector)
