"""Links that bend and bearings that give way: closed forms, finite elements, the rigid limit."""

import numpy as np
import pytest
from drawings import Body, Joint, Mechanism, Platform, changed
from drawn_machines import MACHINES
from mechanism_kernels import kernels
from oracles.frame_elements import Frame
from yielding import yielding

import gough
from gough.robot import elastic

BEAM = elastic.Beam(diameter=0.03, bore=0.02, modulus=7e10)
SOFT = {
    "R": elastic.HingeBearing(axial=2e7, radial=1e7, tilting=3e4),
    "P": elastic.SlideBearing(radial=1e7, tilting=2e4),
    "U": elastic.PointBearing(radial=4e7),
    "S": elastic.PointBearing(radial=3e7),
    "C": elastic.SleeveBearing(radial=1e7, tilting=2e4),
}


def weightless(machine, beams=None, bearings=False):
    """The machine with beams in place of some bodies, or of all, and bearings that give way."""
    bodies = tuple(
        changed(b, beam=BEAM) if beams is None or b.name.startswith(beams) else b
        for b in machine.bodies
    )
    joints = tuple(changed(j, bearing=SOFT[j.type]) if bearings else j for j in machine.joints)
    return changed(machine, bodies=bodies, joints=joints, gravity=(0.0, 0.0, 0.0))


def test_a_cantilever_on_a_motor():
    """An arm along x that hangs in a driven hinge, and carries the platform in another one."""
    L, k, l = 0.5, 3e4, 1e4
    arm = changed(Body("arm"), beam=elastic.Beam(diameter=0.03, modulus=2e11, shear_modulus=8e10))
    joints = (
        changed(Joint("hip", "R", ("base", "arm"), (0, 0, 0), ((0, 0, 1),), True), stiffness=k),
        changed(
            Joint("wrist", "R", ("arm", "platform"), (L, 0, 0), ((0, 0, 1),), True), stiffness=l
        ),
    )
    platform = Platform(1.0, np.eye(3), position=(L, 0.0, 0.0), moves=("y", "rz"))
    machine = Mechanism("cantilever", platform, (arm,), joints)
    EA, EI = 2e11 * np.pi * 0.03**2 / 4, 2e11 * np.pi * 0.03**4 / 64
    GJ = 8e10 * np.pi * 0.03**4 / 32
    expected = np.diag(
        [
            L / EA,
            L**3 / (3 * EI) + L**2 / k,
            L**3 / (3 * EI),
            L / GJ,
            L / EI,
            L / EI + 1 / k + 1 / l,
        ]
    )
    expected[1, 5] = expected[5, 1] = L**2 / (2 * EI) + L / k
    expected[2, 4] = expected[4, 2] = -(L**2) / (2 * EI)
    k = kernels(machine)
    pose, none = np.array(machine.home), np.zeros(2)
    np.testing.assert_allclose(
        k.compliance(pose, none), expected, rtol=1e-10, atol=1e-12 * expected.max()
    )
    along = expected[np.ix_([1, 5], [1, 5])]
    np.testing.assert_allclose(k.stiffness(pose, none), np.linalg.inv(along), rtol=1e-9)


CASES = {
    "planar, overconstrained": ("3-RRR", {}),
    "redundant and overconstrained": ("4-RRR, redundant", {}),
    "rods that stretch": ("delta, ball-ended rods", {}),
    "only some links": ("3-RRR", {"beams": "crank"}),
    "bearings too": ("3-RRR", {"bearings": True}),
    "rods and their joints": ("delta, ball-ended rods", {"bearings": True}),
    "all six ways": ("6-RUS", {"bearings": True}),
    "changing moves": ("five-bar", {"bearings": True}),
    "inner loops": ("orthoglide", {"beams": "bar", "bearings": True}),
    "a passive leg": ("tricept", {"beams": ("tube", "piston"), "bearings": True}),
}


@pytest.mark.parametrize("case", CASES)
def test_finite_elements_agree(case):
    name, options = CASES[case]
    machine = weightless(yielding(MACHINES[name](0)), **options)
    k = kernels(machine)
    found = k.compliance(np.array(machine.home), np.zeros(k.motors))
    expected = Frame(machine).compliance()
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())
    S = np.array(machine.platform.rows)
    along = np.linalg.inv(S @ expected @ S.T)
    stiffness = k.stiffness(np.array(machine.home), np.zeros(k.motors))
    np.testing.assert_allclose(stiffness, along, atol=1e-7 * np.abs(along).max())
