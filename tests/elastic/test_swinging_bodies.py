"""Bodies that swing on bearings which yield: finite elements, the rigid limit, rotors."""

import numpy as np
import pytest
from bending_arms import arm, bar
from drawings import Body, Joint, changed
from drawn_machines import MACHINES
from mechanism_kernels import kernels
from oracles.frame_elements import Frame
from test_yielding_links import SOFT
from yielding import yielding

import gough
from gough.elastic import frequency_map, natural_frequencies
from gough.robot import elastic

HARD = {
    "R": elastic.HingeBearing(axial=1e13, radial=1e13, tilting=1e12),
    "S": elastic.PointBearing(radial=1e13),
}


def on_bearings(machine, bearings=SOFT, flexures=False):
    """The machine with bearings that give way, weightless."""
    machine = yielding(machine, flexures)
    joints = tuple(changed(j, bearing=bearings[j.type]) for j in machine.joints)
    return changed(machine, joints=joints, gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("name", "flexures"),
    [("3-RRR", True), ("five-bar", False), ("6-RUS", False)],
)
def test_frequencies_are_those_of_all_bodies_as_nodes(name, flexures):
    machine = on_bearings(MACHINES[name](0), flexures=flexures)
    found, expected = gough.natural_modes(machine), Frame(machine).frequencies()
    count = min(len(found), len(expected))
    assert count > len(machine.platform.moves) + 3
    np.testing.assert_allclose(found.frequencies[:count], expected[:count], rtol=1e-7)
    np.testing.assert_allclose(found.participation.sum(-1), 1, rtol=1e-9)


def test_stiff_bearings_leave_the_modes_of_rigid_links():
    rigid = changed(yielding(MACHINES["3-RRR"](0)), gravity=(0.0, 0.0, 0.0))
    expected = gough.natural_modes(rigid).frequencies
    found = gough.natural_modes(on_bearings(MACHINES["3-RRR"](0), HARD)).frequencies
    np.testing.assert_allclose(found[: len(expected)], expected, rtol=1e-6)


def test_rotors_turn_behind_them_too():
    """Under gravity, at two poses, and beside the modes of rigid links that have rotors."""
    drawn = gough.load("planar-3rrr")
    plain, hard = yielding(drawn), changed(on_bearings(drawn, HARD), gravity=drawn.gravity)
    poses = np.array(drawn.home) + 0.01 * np.eye(7)[:2]
    expected = gough.natural_modes(plain, poses, actuators=3e3).frequencies
    found = gough.natural_modes(hard, poses, actuators=3e3)
    assert [name.split()[-1] for name in found.coordinates[-3:]] == ["rotor"] * 3
    np.testing.assert_allclose(found.frequencies[:, :6], expected, rtol=1e-6)


def test_shaking_takes_all_masses_along():
    machine = on_bearings(MACHINES["five-bar"](0))
    total = machine.platform.mass + sum(body.mass for body in machine.bodies)
    masses = gough.natural_modes(machine).effective_masses[:, :3].sum(0)
    np.testing.assert_allclose(masses, total, rtol=1e-9)


GYRATION = 0.01
WHOLE = {"modes": 6, "elements": 2}  # all modes of the inner node: nothing is reduced


def of_bars(machine, names="", **beam):
    """The machine with uniform bars that bend in place of the bodies with such a name."""
    tube = elastic.Beam(diameter=0.03, bore=0.02, modulus=7e10, **beam)

    def straight(body):
        near, *others = (np.array(j.at) for j in machine.joints if body.name in j.between)
        far = np.mean(others, axis=0)
        return changed(bar(body.name, body.mass, near, far, GYRATION), beam=tube)

    chosen = (straight(b) if b.name.startswith(names) else b for b in machine.bodies)
    return changed(machine, bodies=tuple(chosen))


@pytest.mark.parametrize(
    ("name", "beams", "bearings", "flexures"),
    [
        ("3-RRR", "", SOFT, True),
        ("five-bar", "", {}, False),
        ("delta, ball-ended rods", "", {}, False),
        ("6-RUS", "arm", SOFT, False),
    ],
)
def test_beams_on_bearings_are_finite_elements_in_a_row(name, beams, bearings, flexures):
    machine = yielding(MACHINES[name](0), flexures)
    if bearings:
        machine = on_bearings(MACHINES[name](0), flexures=flexures)
    machine = changed(of_bars(machine, beams, **WHOLE), gravity=(0.0, 0.0, 0.0))
    found, expected = gough.natural_modes(machine), Frame(machine, 2).frequencies(GYRATION)
    assert len(found) == len(expected)
    np.testing.assert_allclose(found.frequencies, expected, rtol=1e-6)
    np.testing.assert_allclose(found.participation.sum(-1), 1, rtol=1e-9)


def test_links_that_bend_become_rigid_at_first_order():
    machine, apart = of_bars(yielding(MACHINES["3-RRR"](0)), modes=0), []
    expected = gough.natural_modes(machine.with_rigid_links).frequencies
    for modulus in (7e13, 7e14):
        beam = elastic.Beam(diameter=0.03, modulus=modulus, modes=0)
        stiff = changed(machine, bodies=tuple(changed(b, beam=beam) for b in machine.bodies))
        apart.append(gough.natural_modes(stiff).frequencies[: len(expected)] / expected - 1)
    assert np.abs(apart[0]).max() < 1e-3
    assert apart[1] == pytest.approx(apart[0] / 10, rel=2e-3)


def test_links_that_bend_take_their_masses_along():
    machine = of_bars(on_bearings(MACHINES["five-bar"](0)))
    total = machine.platform.mass + sum(body.mass for body in machine.bodies)
    found = gough.natural_modes(machine)
    np.testing.assert_allclose(found.effective_masses[:, :3].sum(0), total, rtol=1e-9)


def test_rotors_turn_with_rigid_drives():
    """A rotor on a hinge without a spring is one more inertia about it."""
    tube = elastic.Beam(diameter=0.04, modulus=2e9, modes=0)
    drawn = arm((0.8,), (1.3,), radius=0.01, tip=20.0, moves=("y",))
    bent = changed(drawn, bodies=(changed(drawn.bodies[0], beam=tube),))
    motor = {"resistance": 1.0, "torque_constant": 0.1, "back_emf": 0.1, "rotor_inertia": 1e-3}
    drive = motor | {"gear_ratio": 30.0}
    geared = changed(bent, joints=(changed(bent.joints[0], drive=drive), bent.joints[1]))
    disc = Body("disc", 1e-9, (0, 0, 0), tuple(map(tuple, 0.9 * np.eye(3))))
    weld = Joint("weld", "fixed", ("link-1", "disc"), (0, 0, 0))
    turning = changed(bent, bodies=(*bent.bodies, disc), joints=(*bent.joints, weld))
    found = [gough.natural_modes(robot, actuators=3e3).frequencies for robot in (geared, turning)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)
    assert found[0][0] < 0.999 * gough.natural_modes(bent, actuators=3e3).frequencies[0]


def test_slow_responses_are_those_of_springs_and_fast_ones_have_the_modes():
    """The compliance is that of another derivation; drives that turn strain nothing."""
    machine = of_bars(on_bearings(MACHINES["five-bar"](0)))
    system, model = gough.elastic_state_space(machine), kernels(machine)
    slow, names = system.dcgain(), system.input_labels

    def by(kind):
        return slow[:, [k for k, name in enumerate(names) if name.endswith(kind)]]

    C = model.compliance(np.array(machine.home), np.zeros(2))
    np.testing.assert_allclose(by("_wrench")[:6], C, atol=1e-8 * np.abs(C).max())
    T = model.twist_basis(machine.home)
    turned = T @ np.linalg.inv(gough.Model(machine).jacobian(machine.home) @ T)
    np.testing.assert_allclose(by("_turn")[:6], turned, atol=1e-8)
    np.testing.assert_allclose(by("_base")[6:9, :3], np.eye(3), atol=1e-7)
    hertz = np.sort(np.abs(system.poles()))[::2] / (2 * np.pi)
    np.testing.assert_allclose(hertz, gough.natural_modes(machine).frequencies, rtol=1e-6)


def test_poses_of_a_map_are_poses_and_those_that_it_cannot_take_are_unknown():
    machine = on_bearings(MACHINES["3-RRR"](0))
    found = frequency_map(machine, ("x", "y"), resolution=4)
    places = np.argwhere(np.isfinite(found.values))
    assert len(places)
    x, y = found.slice.first[places[0, 0]], found.slice.second[places[0, 1]]
    pose = np.array([x, y, *machine.home[2:]])
    expected = gough.natural_modes(machine, pose).frequencies[0]
    assert found.values[tuple(places[0])] == pytest.approx(expected)
    far = natural_frequencies(machine, np.array([pose, [9.0, *pose[1:]]]))
    assert np.isfinite(far).all(-1).tolist() == [True, False]
    longer = np.concatenate([pose[:3], 1.1 * pose[3:]])  # a quaternion of another length
    assert gough.natural_modes(machine, longer).frequencies[0] == pytest.approx(expected)
    with pytest.raises(gough.GoughError, match="its actuators cannot hold it at the pose"):
        gough.natural_modes(machine, [9.0, *pose[1:]])


def test_what_has_no_place_is_told():
    machine = on_bearings(MACHINES["3-RRR"](0))
    beam = elastic.Beam(diameter=0.03)
    bent = changed(machine, bodies=tuple(changed(body, beam=beam) for body in machine.bodies))
    with pytest.raises(gough.GoughError, match="crank0: its mass centre or its principal axes"):
        gough.natural_modes(bent)
    held = of_bars(yielding(MACHINES["delta, ball-ended rods"](0), flexures=True), "rod")
    loose = tuple(changed(j, stiffness=None) if j.is_driven else j for j in held.joints)
    with pytest.raises(gough.GoughError, match="bends a body between ball joints"):
        gough.natural_modes(changed(held, joints=loose))
