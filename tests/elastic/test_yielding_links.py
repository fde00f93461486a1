"""Links that bend and bearings that give way: closed forms, finite elements, the rigid limit."""

import casadi as ca
import numpy as np
import pytest
from drawings import Body, Joint, Mechanism, Platform, changed
from drawn_machines import MACHINES
from interpreted import numbers, placed
from mechanism_kernels import kernels
from oracles.frame_elements import Frame
from planar_linkages import linkage
from yielding import yielding

import gough
from gough.equations.elastic import stiffness
from gough.errors import RobotError
from gough.model.mechanism import analysed
from gough.poses import displace
from gough.robot import elastic, parameters_of
from gough.robot.numbers import layout

BEAM = elastic.Beam(diameter=0.03, bore=0.02, modulus=7e10)
SOFT = {
    "R": elastic.HingeBearing(axial=2e7, radial=1e7, tilting=3e4),
    "P": elastic.SlideBearing(radial=1e7, tilting=2e4),
    "U": elastic.PointBearing(radial=4e7),
    "S": elastic.PointBearing(radial=3e7),
    "C": elastic.SleeveBearing(radial=1e7, tilting=2e4),
}


def weightless(machine, beams=None, bearings=False, flexures=False):
    """The machine with beams in place of some bodies, or of all, and bearings that give way."""
    machine = yielding(machine, flexures)
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
    "flexures too": ("3-RRR", {"flexures": True, "bearings": True}),
    "a passive leg and flexures": (
        "tricept",
        {"beams": ("tube", "piston"), "bearings": True, "flexures": True},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_finite_elements_agree(case):
    name, options = CASES[case]
    machine = weightless(MACHINES[name](0), **options)
    k = kernels(machine)
    found = k.compliance(np.array(machine.home), np.zeros(k.motors))
    expected = Frame(machine).compliance()
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())
    S = machine.freedom_rows
    along = np.linalg.inv(S @ expected @ S.T)
    ours = k.stiffness(np.array(machine.home), np.zeros(k.motors))
    np.testing.assert_allclose(ours, along, atol=1e-7 * np.abs(along).max())


@pytest.mark.parametrize("kind", ["Watt I", "Stephenson II", "Stephenson III and a dyad"])
def test_rigid_links_that_repeat_each_other_do_not_spoil_one_that_bends(kind):
    """Its loops tie the platform in five ways and the bending link in three, out of the plane."""
    drawn = linkage(kind, 0)
    mechanism = weightless(drawn, beams=drawn.bodies[0].name)
    machine, pose = analysed(mechanism).machine, np.array(mechanism.home)
    assert sum(map(len, machine.springs.closing)) == 5 + 3
    given = ca.DM(pose), ca.DM.zeros(1), ca.DM.zeros(1)
    found = numbers(stiffness.compliance(placed(machine, pose), *given))
    expected = Frame(mechanism).compliance()
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["3-RRR", "delta, ball-ended rods"])
def test_finite_elements_agree_away_from_home(name):
    """The same machine, drawn where it has moved: its axes stand on the base, or are none."""
    machine = weightless(MACHINES[name](0), bearings=True)
    k = kernels(machine)
    pose = displace(np.array(machine.home), k.twist_basis(machine.home) @ [0.03, -0.05, 0.04])
    moved = dict(
        zip([c.joint for c in k.analysis.structure.centers], k.joint_centers(pose), strict=True)
    )
    joints = tuple(changed(j, at=tuple(moved[j.name])) for j in machine.joints)
    home = {"position": tuple(pose[:3]), "quaternion": tuple(pose[3:])}
    redrawn = changed(machine, joints=joints, platform=changed(machine.platform, home=home))
    expected = Frame(redrawn).compliance()
    found = k.compliance(pose, np.zeros(k.motors))
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["3-RRR", "delta, ball-ended rods", "five-bar"])
def test_stiff_links_are_rigid_ones(name):
    """The difference goes as the compliance of the links, under weights and efforts too."""
    rigid = yielding(MACHINES[name](0), flexures=name == "3-RRR")
    pose = np.array(rigid.home)
    held = kernels(rigid).joint_gravity(pose)
    expected = kernels(rigid).compliance(pose, held)
    apart = []
    for modulus in (1e17, 1e18):
        beam = elastic.Beam(diameter=0.03, modulus=modulus)
        stiff = changed(rigid, bodies=tuple(changed(b, beam=beam) for b in rigid.bodies))
        apart.append(np.abs(kernels(stiff).compliance(pose, held) - expected).max())
    assert apart[0] < 1e-4 * np.abs(expected).max()
    assert apart[1] == pytest.approx(apart[0] / 10, rel=1e-3)


def test_free_motors_leave_what_flexures_and_loads_hold():
    """K is finite where the compliance is not."""
    machine = weightless(MACHINES["3-RRR"](0), flexures=True)
    k, pose, free = kernels(machine), np.array(machine.home), np.full(3, np.inf)
    K = k.stiffness(pose, np.zeros(3), free)
    limp = changed(
        machine,
        joints=tuple(changed(j, stiffness=1e-6) if j.is_driven else j for j in machine.joints),
    )
    S = machine.freedom_rows
    expected = np.linalg.inv(S @ Frame(limp).compliance() @ S.T)
    np.testing.assert_allclose(K, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())
    no_flexures = weightless(MACHINES["3-RRR"](0))
    unheld = kernels(no_flexures).stiffness(pose, np.zeros(3), free)
    np.testing.assert_allclose(unheld, 0, atol=1e-12)


def test_what_cannot_yield_is_refused():
    machine = yielding(MACHINES["tricept"](0))
    beams = tuple(changed(b, beam=BEAM) for b in machine.bodies)
    with pytest.raises(RobotError) as caught:
        kernels(changed(machine, bodies=beams))
    assert caught.value.problem == "a beam without length"
    assert caught.value.value == "barrel0"
    bent = weightless(MACHINES["delta, ball-ended rods"](0), flexures=True)
    with pytest.raises(RobotError) as refused:
        kernels(bent)
    assert (refused.value.key, refused.value.value) == ("joints[1].stiffness", "rod1a-elbow")
    with pytest.raises(RobotError) as caught:
        elastic.Beam(diameter=0.03, bore=0.04)
    assert (caught.value.key, caught.value.value) == ("bore", 0.04)


def test_masses_of_links_that_yield_are_not_known_to_vibrate():
    machine = weightless(MACHINES["3-RRR"](0))
    with pytest.raises(AttributeError, match="no vibration: its links, bearings or platform are"):
        _ = gough.Model(machine).vibration


def test_numbers_of_links_and_bearings_are_parameters():
    machine = weightless(MACHINES["five-bar"](0), bearings=True)
    other = changed(
        machine,
        bodies=tuple(
            changed(b, beam=elastic.Beam(diameter=0.05, bore=0.01, modulus=9e10))
            for b in machine.bodies
        ),
    )
    assert "bodies[0].beam.bore" in layout(machine)
    parametric, pose = gough.Model(machine, parametric=True), np.array(machine.home)
    for robot in (machine, other):
        found = parametric.compliance(parameters_of(robot), pose, np.zeros(2))
        expected = kernels(robot).compliance(pose, np.zeros(2))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-18)
