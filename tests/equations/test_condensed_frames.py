"""Base and platform condensed to their joints, against whole frames, energies and the 6x6."""

import casadi as ca
import numpy as np
from oracles.frame_elements import beam_element, skew
from scipy.spatial.transform import Rotation

import gough
from gough.equations.elastic.leg_stiffness import stiffness as stiffness_equation
from gough.equations.elastic.leg_stiffness import vibration
from gough.model.parameters import machine_of
from gough.robot.elastic import Beam
from tests.samples.cubic import cubic

A, K = 0.2, 1e6
ENDS = ("base", "platform")
BAR = Beam(diameter=0.012, bore=0.008, modulus=7e10)


def hexapod(offset=0.0):
    """A cube whose joints lie apart from each other."""
    cube, rng = cubic(A, offset), np.random.default_rng(11)
    return cube.replace(
        {
            f"legs[{k}].{end}": (np.array(getattr(leg, end)) + 0.02 * rng.normal(size=3)).tolist()
            for k, leg in enumerate(cube.legs)
            for end in ENDS
        }
    )


def off_home(robot, seed=3):
    rng = np.random.default_rng(seed)
    pose = np.array(robot.home)
    return pose + np.concatenate([0.02 * rng.normal(size=3), 0.05 * rng.normal(size=4)])


def random_compliances(seed, size=18, scale=1e-8):
    rng = np.random.default_rng(seed)
    return {
        end: m @ m.T * scale for end, m in zip(ENDS, rng.normal(size=(2, size, size)), strict=True)
    }


def flexible(robot, matrices):
    return robot.replace(flexibility={end: matrix.tolist() for end, matrix in matrices.items()})


def stiffness(robot, pose, force=0.0):
    state = ca.DM(pose), ca.DM([force] * 6), ca.DM.zeros(6)
    return np.array(ca.evalf(ca.SX(stiffness_equation(machine_of(robot).extensible, *state))))


class Nodes:
    """A frame of beams between nodes of six freedoms."""

    def __init__(self, places):
        self.places, self.K = places, np.zeros((6 * len(places),) * 2)

    def join(self, i, j):
        where = np.r_[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
        span = self.places[j] - self.places[i]
        self.K[np.ix_(where, where)] += beam_element(span, BAR)


def ring(joints, middle):
    """A platform: a ring of beams through all joints (0 ... 5), and spokes to its frame (6)."""
    frame = Nodes([*joints, middle])
    for i in range(6):
        frame.join(i, (i + 1) % 6)
        frame.join(i, 6)
    return frame


def stand(joints):
    """A base: the same ring on six posts, whose feet (6 ... 11) stand on the ground."""
    frame = Nodes([*joints, *(1.2 * joint - [0, 0, 0.15] for joint in joints)])
    for i in range(6):
        frame.join(i, (i + 1) % 6)
        frame.join(i, 6 + i)
    frame.K = frame.K[:36, :36]
    return frame


def kept(K, keep):
    """Guyan: what is left when nothing loads the other coordinates."""
    rest = np.setdiff1d(np.arange(len(K)), keep)
    return K[np.ix_(keep, keep)] - K[np.ix_(keep, rest)] @ np.linalg.solve(
        K[np.ix_(rest, rest)], K[np.ix_(rest, keep)]
    )


JOINTS = np.concatenate([6 * i + np.arange(3) for i in range(6)])


def whole_compliance(robot, pose):
    """Of platform, legs and base as one system of beams and bars."""
    R = gough.rotation(pose).as_matrix()
    low = np.array([leg.base for leg in robot.legs])
    high = pose[:3] + np.array([leg.platform for leg in robot.legs]) @ R.T
    above, below = ring(high, pose[:3]).K, stand(low).K
    size = len(above)
    total = np.zeros((size + len(below),) * 2)
    total[:size, :size], total[size:, size:] = above, below
    for i in range(6):
        s = (high[i] - low[i]) / np.linalg.norm(high[i] - low[i])
        row = np.zeros(len(total))
        row[6 * i : 6 * i + 3], row[size + 6 * i : size + 6 * i + 3] = s, -s
        total += K * np.outer(row, row)
    frame = np.arange(36, 42)
    return np.linalg.inv(total)[np.ix_(frame, frame)]


def test_condensed_frames_are_the_whole_of_beams_and_bars(tmp_path):
    """A free platform as N/mm in CSV, a base on its feet as a compliance of NumPy."""
    robot = hexapod(offset=0.03)
    low, high = (np.array([getattr(leg, end) for leg in robot.legs]) for end in ENDS)
    free = kept(ring(high, np.zeros(3)).K, np.r_[JOINTS, 36:42])
    millimetres = np.r_[np.full(21, 1e-3), np.ones(3)]
    in_newtons = np.r_[np.ones(21), np.full(3, 1e3)]
    printed = np.outer(in_newtons, millimetres) * free
    np.savetxt(tmp_path / "platform.csv", printed, delimiter=", ", header="N, mm, rad")
    np.save(tmp_path / "base.npy", np.linalg.inv(kept(stand(low).K, JOINTS)))
    elastic = robot.replace(
        flexibility={
            "platform": {
                "file": str(tmp_path / "platform.csv"),
                "quantity": "stiffness",
                "unit": "mm",
            },
            "base": {"file": str(tmp_path / "base.npy"), "quantity": "compliance", "unit": "m"},
        }
    )
    pose = off_home(robot)
    expected = whole_compliance(robot, pose)
    found = np.linalg.inv(stiffness(elastic, pose))
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())
    rigid = np.linalg.inv(gough.Model(robot).stiffness(pose, np.zeros(6)))
    assert np.trace(expected) > 1.2 * np.trace(rigid)


def test_a_6x6_is_a_frame_that_keeps_its_shape():
    robot = hexapod(offset=0.02)
    six = random_compliances(1, size=6)
    carried = {
        end: np.vstack([np.hstack([np.eye(3), -skew(getattr(leg, end))]) for leg in robot.legs])
        for end in ENDS
    }
    joints = {end: T @ six[end] @ T.T for end, T in carried.items()}
    pose = off_home(robot, 4)
    expected = gough.Model(flexible(robot, six)).stiffness(pose, np.zeros(6))
    found = stiffness(flexible(robot, joints), pose)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_frames_without_compliance_are_rigid():
    robot = hexapod()
    pose = off_home(robot, 5)
    rigid = gough.Model(robot).stiffness(pose, np.full(6, 900.0))
    none = {end: np.zeros((18, 18)) for end in ENDS}
    found = stiffness(flexible(robot, none), pose, 900.0)
    np.testing.assert_allclose(found, rigid, rtol=1e-12, atol=1e-12 * K)


def test_a_preload_stays_where_it_is_while_the_frames_turn_and_yield():
    """The wrench of legs and frames at rest, solved for small displacements, by differences."""
    F, h = 3e4, 1e-5
    robot, matrices = hexapod(offset=0.02), random_compliances(2, scale=3e-8)
    pose = off_home(robot, 6)
    expected = np.empty((6, 6))
    for j in range(6):
        step = h * np.eye(6)[j]
        ahead, back = (wrench_at_rest(robot, matrices, pose, x, F) for x in (step, -step))
        expected[:, j] = (back - ahead) / (2 * h)
    found = stiffness(flexible(robot, matrices), pose, F)
    unloaded = stiffness(flexible(robot, matrices), pose)
    np.testing.assert_allclose(found, expected, atol=2e-7 * np.abs(expected).max())
    assert np.abs(found - unloaded).max() > 0.1 * np.abs(unloaded).max()


def wrench_at_rest(robot, matrices, pose, step, F):
    """What the legs do to a platform that is displaced, its joints where their forces balance."""
    R, p = gough.rotation(pose).as_matrix(), pose[:3]
    turned = Rotation.from_rotvec(step[3:]).as_matrix() @ R
    a, b = (np.array([getattr(leg, end) for leg in robot.legs]) for end in ENDS)
    start = p + b @ R.T - a
    lengths = np.linalg.norm(start, axis=1)
    before = F * start / lengths[:, None]

    def pushes(y):
        w, v = y.reshape(2, 6, 3)
        span = p + step[:3] + (b + w) @ turned.T - a - v
        l = np.sqrt((span**2).sum(1))
        return (F - K * (l - lengths))[:, None] * span / l[:, None]

    def open_balance(y):
        w, v = y.reshape(2, 18)
        f = pushes(y)
        on_platform = (f @ turned - before @ R).ravel()  # in its axes
        on_base = -(f - before).ravel()
        return np.r_[w - matrices["platform"] @ on_platform, v - matrices["base"] @ on_base]

    y = np.zeros(36)
    for _ in range(5):
        slope = [open_balance(y + 1e-20j * e).imag / 1e-20 for e in np.eye(36)]
        y = y - np.linalg.solve(np.transpose(slope), open_balance(y))
    f, arms = pushes(y), (b + y.reshape(2, 6, 3)[0]) @ turned.T
    return np.r_[f.sum(0), np.cross(arms, f).sum(0)]


def test_pistons_that_are_coordinates_of_their_own_yield_the_same():
    """Taken out at rest they leave the platform's stiffness, its frames condensed as well."""
    connector = {"stiffness": 3e6, "coupling": {"stiffness": 5e6, "damping": 10.0}}
    springs = {"connector": connector, "joint_stiffness": {"platform_bending": 50.0}}
    piston = {"mass": 2.0, "center_of_mass": 0.05, "inertia": [1e-3, 1e-3, 1e-4]}
    soft = hexapod().replace({f"leg.{key}": value for key, value in springs.items()})
    heavy = soft.replace({"leg.piston": piston, "gravity": [0, 0, -9.81]})
    machine = machine_of(flexible(heavy, random_compliances(7))).extensible
    state = ca.DM(off_home(heavy, 8)), ca.DM([300.0] * 6), ca.DM([1e-7] * 6)
    K = np.array(ca.evalf(ca.SX(stiffness_equation(machine, *state))))
    _, whole = vibration(machine, *state)
    whole = np.array(ca.evalf(ca.SX(whole)))
    rest = whole[:6, :6] - whole[:6, 6:] @ np.linalg.solve(whole[6:, 6:], whole[6:, :6])
    np.testing.assert_allclose(rest, (K + K.T) / 2, rtol=1e-7, atol=1e-9 * np.abs(K).max())
