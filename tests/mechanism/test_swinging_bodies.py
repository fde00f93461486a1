"""Bodies that swing on bearings which yield: finite elements, the rigid limit, rotors."""

import numpy as np
import pytest
from drawings import changed
from drawn_machines import MACHINES
from oracles.frame_elements import Frame
from test_yielding_links import SOFT
from yielding import yielding

import gough
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
    found, expected = gough.modes(machine), Frame(machine).frequencies()
    count = min(len(found), len(expected))
    assert count > len(machine.platform.moves) + 3
    np.testing.assert_allclose(found.frequencies[:count], expected[:count], rtol=1e-7)
    np.testing.assert_allclose(found.participation.sum(-1), 1, rtol=1e-9)


def test_stiff_bearings_leave_the_modes_of_rigid_links():
    rigid = changed(yielding(MACHINES["3-RRR"](0)), gravity=(0.0, 0.0, 0.0))
    expected = gough.modes(rigid).frequencies
    found = gough.modes(on_bearings(MACHINES["3-RRR"](0), HARD)).frequencies
    np.testing.assert_allclose(found[: len(expected)], expected, rtol=1e-6)


def test_rotors_turn_behind_them_too():
    """Under gravity, at two poses, and beside the modes of rigid links that have rotors."""
    drawn = gough.load("planar-3rrr")
    plain, hard = yielding(drawn), changed(on_bearings(drawn, HARD), gravity=drawn.gravity)
    poses = np.array(drawn.home) + 0.01 * np.eye(7)[:2]
    expected = gough.modes(plain, poses, actuators=3e3).frequencies
    found = gough.modes(hard, poses, actuators=3e3)
    assert [name.split()[-1] for name in found.coordinates[-3:]] == ["rotor"] * 3
    np.testing.assert_allclose(found.frequencies[:, :6], expected, rtol=1e-6)


def test_shaking_takes_all_masses_along():
    machine = on_bearings(MACHINES["five-bar"](0))
    total = machine.platform.mass + sum(body.mass for body in machine.bodies)
    masses = gough.modes(machine).effective_masses[:, :3].sum(0)
    np.testing.assert_allclose(masses, total, rtol=1e-9)


def test_links_that_bend_are_refused():
    machine = on_bearings(MACHINES["3-RRR"](0))
    beam = elastic.Beam(diameter=0.03)
    bent = changed(machine, bodies=tuple(changed(body, beam=beam) for body in machine.bodies))
    with pytest.raises(gough.GoughError, match=r"masses would need .* gough.FlexibleMachine"):
        gough.modes(bent)
    with pytest.raises(gough.GoughError, match=r"gough.modes for bearings alone"):
        gough.Model(machine).frequencies(machine.home)
