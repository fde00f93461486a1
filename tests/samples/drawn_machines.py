"""Machines of many kinds, drawn at home with random masses: what the tests are about."""

import numpy as np
from drawings import Body, Joint, Mechanism, Platform, changed
from scipy.spatial.transform import Rotation

UP = np.array([0.0, 0.0, 1.0])


class Drawer:
    """Puts bodies and joints on a drawing; bodies get random masses between their joints."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.shape = np.random.default_rng(seed + 1000)
        self.spread = 0.03 if seed else 0.0
        self.bodies, self.joints = [], []

    def near(self, *points, along=(1, 1, 1)):
        """Return the points themselves for the first seed, else others near them."""
        noise = self.shape.uniform(-self.spread, self.spread, (len(points), 3))
        return [np.add(point, n) for point, n in zip(points, noise * along, strict=True)]

    def body(self, name, *points, mass=0.5):
        middle = np.mean(points, axis=0)
        size = max(float(np.linalg.norm(np.ptp(points, axis=0))), 0.1)
        center = middle + 0.1 * size * self.rng.standard_normal(3)
        self.bodies.append(Body(name, mass, _tuple(center), self.inertia(mass, size)))
        return name

    def rod(self, name, start, end, mass=0.3):
        """Draw a rod that is symmetric about its line, its mass centre anywhere on it."""
        line = np.subtract(end, start)
        length = float(np.linalg.norm(line))
        z = line / length
        center = np.asarray(start) + self.rng.uniform(0.3, 0.7) * line
        across, along = mass * length**2 / 11, mass * length**2 / 3000
        inertia = across * (np.eye(3) - np.outer(z, z)) + along * np.outer(z, z)
        self.bodies.append(Body(name, mass, _tuple(center), _tuples(inertia)))
        return name

    def inertia(self, mass, size):
        turn = Rotation.random(random_state=self.rng).as_matrix()
        moments = mass * size**2 * self.rng.uniform(0.06, 0.1, 3)
        inertia = turn @ np.diag(moments) @ turn.T
        return _tuples((inertia + inertia.T) / 2)

    def joint(self, name, kind, between, at, *axes, driven=False, home=0.0, pitch=None):
        axes = tuple(_tuple(axis) for axis in axes)
        self.joints.append(Joint(name, kind, between, _tuple(at), axes, driven, home, pitch))

    def machine(self, name, moves, position, size=0.2, quaternion=(1.0, 0.0, 0.0, 0.0)):
        platform = Platform(
            1.2,
            self.inertia(1.2, size),
            _tuple(0.2 * size * self.rng.standard_normal(3)),
            _tuple(position),
            quaternion,
            moves,
        )
        return Mechanism(name, platform, tuple(self.bodies), tuple(self.joints))


def around(angle):
    return Rotation.from_rotvec(angle * UP).as_matrix()


def delta(seed, rods="SS"):
    """A Delta: two rods a leg, with balls at both ends ("SS") or a universal joint ("US")."""
    d = Drawer(seed)
    points = d.near([0.2, 0, 0], [0.45, 0, -0.17], [0.07, 0, -0.62], along=(1, 0, 1))
    for i in range(3):
        R, leg = around(2 * np.pi * i / 3), f"{i + 1}"
        hip, elbow, wrist, axis = (R @ p for p in (*points, [0, 1, 0]))
        arm = d.body(f"arm{leg}", hip, elbow)
        d.joint(f"hip{leg}", "R", ("base", arm), hip, axis, driven=True)
        for side in (-1, 1):
            e, c = elbow + 0.06 * side * axis, wrist + 0.06 * side * axis
            name = f"rod{leg}{'ab'[side > 0]}"
            if rods == "SS":
                d.rod(name, e, c)
                d.joint(f"{name}-elbow", "S", (arm, name), e)
            else:
                d.body(name, e, c, mass=0.3)
                across = np.cross(axis, c - e)
                d.joint(f"{name}-elbow", "U", (arm, name), e, axis, across)
            d.joint(f"{name}-wrist", "S", (name, "platform"), c)
    return d.machine("delta", ("x", "y", "z"), [0, 0, -0.62], 0.1)


def hexapod_joints(seed):
    """Six pairs of base and platform joints, not quite symmetric."""
    rng = np.random.default_rng(seed)
    base_angles = np.deg2rad([-10, 10, 110, 130, 230, 250])
    top_angles = np.deg2rad([-50, 50, 70, 170, 190, 290])
    base = [0.5 * np.array([np.cos(a), np.sin(a), 0]) for a in base_angles]
    top = [0.3 * np.array([np.cos(a), np.sin(a), 0]) for a in top_angles]
    noise = 0.02 * rng.standard_normal((2, 6, 3))
    return base + noise[0], top + noise[1] + [0, 0, 0.7]


def rotary_hexapod(seed, rods="US"):
    """A 6-RUS or 6-RSS machine."""
    d = Drawer(seed)
    for i, (hip, wrist) in enumerate(zip(*hexapod_joints(seed), strict=True)):
        axis = np.cross(UP, hip) + 0.2 * d.rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        out = np.cross(axis, UP)
        elbow = hip + 0.18 * out / np.linalg.norm(out)
        arm, rod = d.body(f"arm{i}", hip, elbow), f"rod{i}"
        d.joint(f"hip{i}", "R", ("base", arm), hip, axis, driven=True)
        if rods == "SS":
            d.rod(rod, elbow, wrist)
            d.joint(f"elbow{i}", "S", (arm, rod), elbow)
        else:
            d.body(rod, elbow, wrist)
            d.joint(f"elbow{i}", "U", (arm, rod), elbow, axis, np.cross(axis, wrist - elbow))
        d.joint(f"wrist{i}", "S", (rod, "platform"), wrist)
    return d.machine("rotary", ("x", "y", "z", "rx", "ry", "rz"), [0.02, 0.01, 0.7])


def sliding_hexapod(seed, rods="US"):
    """A 6-PUS or 6-PSS machine with upright slides."""
    d = Drawer(seed)
    for i, (foot, wrist) in enumerate(zip(*hexapod_joints(seed), strict=True)):
        car, rod = d.body(f"car{i}", foot, foot + 0.1), f"rod{i}"
        up = UP + 0.2 * d.rng.standard_normal(3)
        d.joint(f"slide{i}", "P", ("base", car), foot - [0, 0, 0.1], up, driven=True, home=0.3)
        if rods == "SS":
            d.rod(rod, foot, wrist)
            d.joint(f"foot{i}", "S", (car, rod), foot)
        else:
            d.body(rod, foot, wrist)
            first = np.cross(UP, foot)
            d.joint(f"foot{i}", "U", (car, rod), foot, first, np.cross(first, wrist - foot))
        d.joint(f"wrist{i}", "S", (rod, "platform"), wrist)
    return d.machine("sliding", ("x", "y", "z", "rx", "ry", "rz"), [0.02, 0.01, 0.7])


def planar(seed, legs="RRR", copies=3):
    """A planar machine in the plane x, y: 3-RRR, 3-RPR, or 4-RRR with a motor too many."""
    d = Drawer(seed)
    for i in range(copies):
        R = around(2 * np.pi * i / copies)
        points = d.near([0.6, 0.05, 0], [0.45, 0.32, 0], [0.15, 0, 0.02])
        hip, elbow, wrist = (R @ p for p in points)
        if legs == "RRR":
            first, second = d.body(f"crank{i}", hip, elbow), d.body(f"link{i}", elbow, wrist)
            d.joint(f"hip{i}", "R", ("base", first), hip, UP, driven=True)
            d.joint(f"elbow{i}", "R", (first, second), elbow, UP)
        else:
            first, second = d.body(f"tube{i}", hip, wrist), d.body(f"piston{i}", hip, wrist)
            d.joint(f"hip{i}", "R", ("base", first), hip, UP)
            along = (wrist - hip) * [1, 1, 0]
            d.joint(f"slide{i}", "P", (first, second), hip, along, driven=True, home=0.4)
        d.joint(f"wrist{i}", "R", (second, "platform"), wrist, UP)
    return d.machine("planar", ("x", "y", "rz"), [0.01, 0.02, 0.02])


def five_bar(seed):
    """Five bars in a plane; the platform is one of them, and turns as it must."""
    d = Drawer(seed)
    a, b, c, e, f = d.near(
        [-0.2, 0, 0], [-0.35, 0.3, 0], [0, 0.55, 0], [0.35, 0.28, 0], [0.2, 0, 0]
    )
    left, right, link = d.body("left", a, b), d.body("right", f, e), d.body("link", e, c)
    d.joint("hip-left", "R", ("base", left), a, UP, driven=True)
    d.joint("hip-right", "R", (right, "base"), f, UP, driven=True)
    d.joint("elbow-left", "R", (left, "platform"), b, UP)
    d.joint("elbow-right", "R", (right, link), e, UP)
    d.joint("tip", "R", (link, "platform"), c, UP)
    return d.machine("five-bar", ("x", "y"), c)


def four_bar(seed):
    """Four bars in a plane with one motor; the platform is the coupler, and turns as it must."""
    d = Drawer(seed)
    a, b, c, e = d.near([-0.2, 0, 0], [-0.25, 0.3, 0], [0.2, 0.45, 0], [0.25, 0, 0])
    crank, rocker = d.body("crank", a, b), d.body("rocker", e, c)
    d.joint("motor", "R", ("base", crank), a, UP, driven=True)
    d.joint("coupler-left", "R", (crank, "platform"), b, UP)
    d.joint("coupler-right", "R", ("platform", rocker), c, UP)
    d.joint("rocker-foot", "R", ("base", rocker), e, UP)
    return d.machine("four-bar", ("x",), (b + c) / 2)


def tripod_upu(seed):
    """A 3-UPU machine that only translates."""
    d = Drawer(seed)
    for i in range(3):
        R = around(2 * np.pi * i / 3)
        foot, wrist = (R @ p for p in d.near([0.4, 0, 0], [0.18, 0.05, 0.6]))
        tangent = R @ [0, 1, 0]
        second = np.cross(tangent, wrist - foot)
        tube, piston = d.body(f"tube{i}", foot, wrist), d.body(f"piston{i}", foot, wrist)
        d.joint(f"foot{i}", "U", ("base", tube), foot, tangent, second)
        d.joint(f"slide{i}", "P", (tube, piston), foot, wrist - foot, driven=True, home=0.6)
        d.joint(f"wrist{i}", "U", (piston, "platform"), wrist, second, tangent)
    return d.machine("tripod", ("x", "y", "z"), [0, 0, 0.6])


def two_motors_a_leg(seed):
    """3-RRRS: two motors in each of three legs, the third hinge passive."""
    d = Drawer(seed)
    for i in range(3):
        R = around(2 * np.pi * i / 3)
        hip, knee, ankle, wrist = (
            R @ p for p in d.near([0.5, 0, 0], [0.55, 0.05, 0.2], [0.45, 0.1, 0.45], [0.2, 0, 0.7])
        )
        links = [d.body(f"a{i}", hip, knee), d.body(f"b{i}", knee, ankle)]
        links.append(d.body(f"c{i}", ankle, wrist))
        d.joint(f"hip{i}", "R", ("base", links[0]), hip, UP, driven=True)
        d.joint(f"knee{i}", "R", (links[0], links[1]), knee, R @ [0.2, 1, 0], driven=True)
        d.joint(f"ankle{i}", "R", (links[2], links[1]), ankle, R @ [0, 1, 0.3])
        d.joint(f"wrist{i}", "S", (links[2], "platform"), wrist)
    return d.machine("two-motors", ("x", "y", "z", "rx", "ry", "rz"), [0, 0, 0.7])


def passive_leg(seed):
    """A Tricept: three UPS legs, and a passive one of which the platform is the end."""
    d = Drawer(seed)
    axes = np.eye(3)
    tube = d.body("tube", [0, 0, 0], [0, 0, 0.3])
    d.joint("middle", "U", ("base", tube), [0, 0, 0], axes[0], axes[1])
    d.joint("plunger", "P", (tube, "platform"), [0, 0, 0.3], UP)
    for i in range(3):
        R = around(2 * np.pi * i / 3 + 0.3)
        foot, wrist = (R @ p for p in d.near([0.5, 0, 0], [0.15, 0, 0.65]))
        s = wrist - foot
        barrel, piston = d.body(f"barrel{i}", foot, wrist), d.body(f"piston{i}", foot, wrist)
        first = np.cross(UP, foot)
        d.joint(f"foot{i}", "U", ("base", barrel), foot, first, np.cross(first, s))
        d.joint(f"slide{i}", "P", (barrel, piston), foot, s, driven=True, home=0.7)
        d.joint(f"wrist{i}", "S", (piston, "platform"), wrist)
    return d.machine("tricept", ("z", "rx", "ry"), [0, 0, 0.7])


def parallelograms(seed):
    """An Orthoglide: slides along x, y, z, and parallelograms of hinges, with loops inside."""
    d = Drawer(seed)
    for i in range(3):
        turn = np.roll(np.eye(3), i, axis=0)
        along, a, b = turn[:, 0], turn[:, 1], turn[:, 2]
        start, end = d.near(-0.6 * along, -0.1 * along, along=along)
        car = d.body(f"car{i}", start, start + 0.1)
        d.joint(f"slide{i}", "P", ("base", car), start, along, driven=True)
        near, far = d.body(f"near{i}", start, start + 0.05), d.body(f"far{i}", end, end + 0.05)
        d.joint(f"shoulder{i}", "R", (car, near), start, a)
        for side in (-1, 1):
            e, c = start + 0.05 * side * a, end + 0.05 * side * a
            bar = d.body(f"bar{i}{side}", e, c)
            d.joint(f"bar{i}{side}-near", "R", (near, bar), e, b)
            d.joint(f"bar{i}{side}-far", "R", (bar, far), c, b)
        d.joint(f"wrist{i}", "R", (far, "platform"), end, a)
    return d.machine("orthoglide", ("x", "y", "z"), [0, 0, 0], 0.1)


def spherical(seed):
    """An agile eye: hinges that all meet in one point."""
    d = Drawer(seed)
    for i in range(3):
        turn = np.roll(np.eye(3), i, axis=0)
        a, b, c = (p / np.linalg.norm(p) for p in d.near(*turn.T))
        first, second = (
            d.body(f"first{i}", 0.3 * a, 0.3 * b),
            d.body(f"second{i}", 0.2 * b, 0.2 * c),
        )
        d.joint(f"motor{i}", "R", ("base", first), 0.3 * a, a, driven=True)
        d.joint(f"middle{i}", "R", (first, second), 0.25 * b, b)
        d.joint(f"end{i}", "R", (second, "platform"), 0.15 * c, c)
    return d.machine("eye", ("rx", "ry", "rz"), [0, 0, 0])


def motor_at_platform(seed):
    """A planar 3-RRR whose motors sit in other joints: one of them at the platform."""
    machine = planar(seed)
    driven = ("hip0", "elbow1", "wrist2")
    joints = tuple(
        Joint(j.name, j.type, j.between, j.at, j.lines, j.name in driven) for j in machine.joints
    )
    return Mechanism(machine.name, machine.platform, machine.bodies, joints)


def cranked_delta(seed):
    """A Delta whose arms are driven by cranks through rods: loops of rods inside legs."""
    d = Drawer(seed)
    points = d.near(
        [0.2, 0, 0],
        [0.45, 0, -0.17],
        [0.07, 0, -0.62],
        [0.4, 0.05, 0.2],
        [0.5, 0.05, 0.23],
        [0.4, 0.0, -0.05],
        along=(1, 0, 1),
    )
    for i in range(3):
        R = around(2 * np.pi * i / 3)
        hip, elbow, wrist, motor, pin, ear, axis = (R @ p for p in (*points, [0, 1, 0]))
        arm, crank = d.body(f"arm{i}", hip, elbow), d.body(f"crank{i}", motor, pin)
        d.joint(f"hip{i}", "R", ("base", arm), hip, axis)
        d.joint(f"motor{i}", "R", ("base", crank), motor, axis, driven=True)
        link = d.rod(f"link{i}", pin, ear)
        d.joint(f"pin{i}", "S", (crank, link), pin)
        d.joint(f"ear{i}", "S", (link, arm), ear)
        for side in (-1, 1):
            e, c = elbow + 0.06 * side * axis, wrist + 0.06 * side * axis
            rod = d.rod(f"rod{i}{side}", e, c)
            d.joint(f"elbow{i}{side}", "S", (arm, rod), e)
            d.joint(f"wrist{i}{side}", "S", (rod, "platform"), c)
    return d.machine("cranked", ("x", "y", "z"), [0, 0, -0.62], 0.1)


def half_fixed(seed):
    """Three driven arms with rods, and three rods between base and platform."""
    d = Drawer(seed)
    for i, (hip, wrist) in enumerate(zip(*hexapod_joints(seed), strict=True)):
        rod = d.rod(f"rod{i}", hip + [0, 0, 0.1], wrist)
        holder = "base"
        if i % 2:
            axis = np.cross(UP, hip) + 0.2 * d.rng.standard_normal(3)
            holder = d.body(f"arm{i}", hip, hip + [0, 0, 0.1])
            d.joint(f"hip{i}", "R", ("base", holder), hip - 0.15 * hip, axis, driven=True)
        d.joint(f"elbow{i}", "S", (holder, rod), hip + [0, 0, 0.1])
        d.joint(f"wrist{i}", "S", (rod, "platform"), wrist)
    return d.machine("half-fixed", ("z", "rx", "ry"), [0.02, 0.01, 0.7])


def turned_round(seed):
    """Six SPU legs: the ball at the base, the universal joint at the platform."""
    d = Drawer(seed)
    for i, (foot, wrist) in enumerate(zip(*hexapod_joints(seed), strict=True)):
        s = wrist - foot
        tube, piston = d.body(f"tube{i}", foot, wrist), d.body(f"piston{i}", foot, wrist)
        d.joint(f"ball{i}", "S", (tube, "base"), foot)
        d.joint(f"slide{i}", "P", (piston, tube), foot, s, driven=True, home=0.5)
        first = np.cross(s, [1.0, 0.2, 0.1])
        d.joint(f"wrist{i}", "U", ("platform", piston), wrist, np.cross(first, s), first)
    return d.machine("turned-round", ("x", "y", "z", "rx", "ry", "rz"), [0.02, 0.01, 0.7])


def cylindrical(seed):
    """Six legs with a driven hinge, a cylindrical joint and a ball."""
    d = Drawer(seed)
    for i, (hip, wrist) in enumerate(zip(*hexapod_joints(seed), strict=True)):
        axis = np.cross(UP, hip) + 0.2 * d.rng.standard_normal(3)
        knee = hip + [0.0, 0.0, 0.4] + 0.05 * d.rng.standard_normal(3)
        arm, rod = d.body(f"arm{i}", hip, knee), d.body(f"rod{i}", knee, wrist)
        d.joint(f"hip{i}", "R", ("base", arm), hip, axis, driven=True)
        d.joint(f"knee{i}", "C", (arm, rod), knee, UP + 0.1 * d.rng.standard_normal(3))
        d.joint(f"wrist{i}", "S", (rod, "platform"), wrist)
    return d.machine("cylindrical", ("x", "y", "z", "rx", "ry", "rz"), [0.02, 0.01, 0.7])


def screwed(seed):
    """Six legs with a universal joint, a screw of either hand, driven in turns, and a ball."""
    d = Drawer(seed)
    for i, (foot, wrist) in enumerate(zip(*hexapod_joints(seed), strict=True)):
        s = wrist - foot
        tube, piston = d.body(f"tube{i}", foot, wrist), d.body(f"piston{i}", foot, wrist)
        first = np.cross(s, [1.0, 0.2, 0.1])
        d.joint(f"foot{i}", "U", ("base", tube), foot, first, np.cross(first, s))
        between = (tube, piston) if i % 2 else (piston, tube)
        pitch = d.rng.uniform(0.2, 0.6) * (1 if i % 3 else -1)
        axis = s + 0.1 * d.rng.standard_normal(3)
        d.joint(f"screw{i}", "H", between, foot, axis, driven=True, home=0.5, pitch=pitch)
        d.joint(f"wrist{i}", "S", (piston, "platform"), wrist)
    return d.machine("screwed", ("x", "y", "z", "rx", "ry", "rz"), [0.02, 0.01, 0.7])


def articulated(seed):
    """An H4: two half platforms, each on two arms with parallelograms, hinged to the platform."""
    d = Drawer(seed)
    ((x, y, z),) = d.near([0.3, 0.35, -0.12])
    for side in (-1, 1):
        middle = np.array([0.0, 0.1 * side, -0.5])
        half = d.body(f"half{side}", middle, middle + [0.1, 0, 0])
        d.joint(f"hinge{side}", "R", (half, "platform"), middle, UP)
        for end in (-1, 1):
            wrist = middle + [0.08 * end, 0, 0]
            out = np.array([x * end, y * side, 0.0])
            hip, elbow = out, out * 1.5 + [0, 0, z]
            axis = np.cross(UP, out)
            arm = d.body(f"arm{side}{end}", hip, elbow)
            d.joint(f"hip{side}{end}", "R", ("base", arm), hip, axis, driven=True)
            for edge in (-1, 1):
                offset = (
                    0.04 * edge * np.array([0.3, 1.0, 0])
                    if end > 0
                    else (0.04 * edge * np.array([1.0, 0.3, 0]))
                )
                rod = d.rod(f"rod{side}{end}{edge}", elbow + offset, wrist + offset)
                d.joint(f"e{side}{end}{edge}", "S", (arm, rod), elbow + offset)
                d.joint(f"w{side}{end}{edge}", "S", (rod, half), wrist + offset)
    return d.machine("articulated", ("x", "y", "z", "rz"), [0, 0, -0.5], 0.1)


def sarrus(seed):
    """Two legs of three hinges across each other: the platform goes up and down."""
    d = Drawer(seed)
    for i in range(2):
        R = around(i * np.pi / 2)
        points = d.near([0.4, 0, 0], [0.6, 0, 0.3], [0.2, 0, 0.6], along=(1, 0, 1))
        foot, knee, wrist = (R @ point for point in points)
        lower, upper = d.body(f"lower{i}", foot, knee), d.body(f"upper{i}", knee, wrist)
        d.joint(f"foot{i}", "R", ("base", lower), foot, R @ [0, 1, 0], driven=i == 0)
        d.joint(f"knee{i}", "R", (lower, upper), knee, R @ [0, 1, 0])
        d.joint(f"wrist{i}", "R", (upper, "platform"), wrist, R @ [0, 1, 0])
    return d.machine("sarrus", ("z",), [0, 0, 0.6])


def four_puu(seed):
    """Four bars between universal joints on upright rails: the platform turns about z alone."""
    d = Drawer(seed)
    for i in range(4):
        R = around(np.pi * i / 2 + 0.3 * (i % 2))
        foot, wrist = (R @ p for p in d.near([0.5, 0, 0], [0.15, 0.05 - 0.06 * i, 0.6]))
        slider, bar = d.body(f"slider{i}", foot, foot + 0.1 * UP), d.body(f"bar{i}", foot, wrist)
        across = np.cross(UP, wrist - foot)
        d.joint(f"rail{i}", "P", ("base", slider), foot, UP, driven=True)
        d.joint(f"lower{i}", "U", (slider, bar), foot, UP, across)
        d.joint(f"upper{i}", "U", (bar, "platform"), wrist, across, UP)
    return d.machine("4-PUU", ("x", "y", "z", "rz"), [0, 0, 0.6])


def exechon(seed):
    """Two legs UPR in a plane that turns, and one SPR across it."""
    d, (x, y) = Drawer(seed), np.eye(3)[:2]
    for i, (side, bend) in enumerate([(x, y), (-x, y), (-y, x)]):
        foot, wrist = 0.4 * side, 0.15 * side + 0.8 * UP
        tube, piston = d.body(f"tube{i}", foot, wrist), d.body(f"piston{i}", foot, wrist)
        kind, axes = ("U", (x, y)) if i < 2 else ("S", ())
        d.joint(f"foot{i}", kind, ("base", tube), foot, *axes)
        d.joint(f"slide{i}", "P", (tube, piston), foot, wrist - foot, driven=True, home=0.8)
        d.joint(f"wrist{i}", "R", (piston, "platform"), wrist, bend)
    return d.machine("exechon", ("z", "rx", "ry"), [0, 0, 0.8])


MACHINES = {
    "delta, ball-ended rods": delta,
    "delta, universal joints": lambda seed: delta(seed, "US"),
    "6-RUS": rotary_hexapod,
    "6-RSS": lambda seed: rotary_hexapod(seed, "SS"),
    "6-PUS": sliding_hexapod,
    "6-PSS": lambda seed: sliding_hexapod(seed, "SS"),
    "3-RRR": planar,
    "3-RPR": lambda seed: planar(seed, "RPR"),
    "4-RRR, redundant": lambda seed: planar(seed, copies=4),
    "five-bar": five_bar,
    "four-bar": four_bar,
    "3-UPU": tripod_upu,
    "3-RRRS": two_motors_a_leg,
    "tricept": passive_leg,
    "orthoglide": parallelograms,
    "agile eye": spherical,
    "motor at the platform": motor_at_platform,
    "cranked delta": cranked_delta,
    "3-RSS and fixed rods": half_fixed,
    "6-SPU": turned_round,
    "6-RCS": cylindrical,
    "6-UHS": screwed,
    "H4": articulated,
}
KINDS = (
    *("delta, ball-ended rods", "6-RUS", "3-RPR", "4-RRR, redundant", "four-bar", "3-UPU"),
    *("3-RRRS", "tricept", "orthoglide", "agile eye", "6-RCS", "6-UHS"),
    *("motor at the platform", "6-SPU"),
)
"""Joints of every kind, motors at both ends, rods, loops inside legs, passive legs, legs that
iterate."""
FEW = (
    *("delta, ball-ended rods", "4-RRR, redundant", "four-bar", "tricept", "orthoglide"),
    *("agile eye", "6-UHS"),
)
"""Of these, for what is made of quantities that are tried on all."""


def turned(machine, seed):
    """The same machine in another direction, its platform's frame turned, its moves as rows."""
    turn = Rotation.random(random_state=seed)
    R = turn.as_matrix()
    w, x, y, z = machine.platform.home.quaternion
    own = Rotation.from_rotvec([0.3, 0.2, 0.4])
    x, y, z, w = (turn * Rotation.from_quat([x, y, z, w]) * own).as_quat()
    rows = machine.freedom_rows @ np.kron(np.eye(2), R).T
    platform = changed(
        machine.platform,
        home={
            "position": _tuple(R @ machine.platform.home.position),
            "quaternion": (w, x, y, z),
        },
        moves=_tuples(rows),
    )
    bodies = tuple(
        changed(
            body,
            center_of_mass=_tuple(R @ body.center_of_mass),
            inertia=_tuples(R @ np.array(body.inertia) @ R.T),
        )
        for body in machine.bodies
    )
    joints = tuple(
        changed(
            joint, at=_tuple(R @ joint.at), axes=_tuples(np.reshape(joint.lines, (-1, 3)) @ R.T)
        )
        for joint in machine.joints
    )
    return Mechanism(machine.name, platform, bodies, joints, _tuple(R @ machine.gravity))


def enlarged(machine, s):
    """The same machine with all lengths times s, gravity too, and the same masses."""
    larger = machine.platform
    platform = changed(
        larger,
        home=changed(larger.home, position=_tuple(s * np.array(larger.home.position))),
        center_of_mass=_tuple(s * np.array(larger.center_of_mass)),
        inertia=_tuples(s**2 * np.array(larger.inertia)),
    )
    bodies = tuple(
        changed(
            body,
            center_of_mass=_tuple(s * np.array(body.center_of_mass)),
            inertia=_tuples(s**2 * np.array(body.inertia)),
        )
        for body in machine.bodies
    )
    joints = tuple(changed(joint, at=_tuple(s * np.array(joint.at))) for joint in machine.joints)
    gravity = _tuple(s * np.array(machine.gravity))
    return Mechanism(machine.name, platform, bodies, joints, gravity)


def _tuple(vector):
    return tuple(float(x) for x in vector)


def _tuples(matrix):
    return tuple(_tuple(row) for row in matrix)
