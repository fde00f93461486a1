"""Files that cannot be imported: what is wrong, where, and what is expected."""

import sys
from pathlib import Path

import pytest

from gough.errors import GoughError, InputError
from gough.exchange import imported, machine_export
from gough.robot import load

FILES = Path(__file__).parents[2] / "data" / "imports"
DELTA = (FILES / "delta.xml").read_text()
FIVE_BAR = (FILES / "five_bar.xml").read_text()
LINKAGE = (FILES / "linkage.urdf").read_text()
LOOPS = (FILES / "linkage.yaml").read_text()
BOMB = """<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<mujoco model="&b;"/>"""
TENDON = """<tendon><fixed name="cable"><joint joint="shoulder_l" coef="1"/></fixed></tendon>
</mujoco>"""


def complaint(tmp_path, text, loops=None, platform=None):
    """What is said of a file with this text."""
    file = tmp_path / "machine.xml"
    file.write_text(text)
    beside = None
    if loops is not None:
        beside = tmp_path / "loops.yaml"
        beside.write_text(loops)
    with pytest.raises(GoughError) as caught:
        imported(file, loops=beside, platform=platform)
    return str(caught.value).replace(str(tmp_path), "")


@pytest.mark.parametrize("name", ["machine.yaml", "robot.yaml"])
def test_the_file_of_loops_beside_a_urdf_file_is_found(tmp_path, name):
    (tmp_path / "machine.urdf").write_text(LINKAGE)
    (tmp_path / name).write_text(LOOPS)
    found = imported(tmp_path / "machine.urdf", platform="rod_1")
    assert found.robot.reference == f"Imported from machine.urdf and {name}."


def changed(text, *pairs):
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not valid XML: no element found"),
        ("<mujoco><worldbody>", "not valid XML"),
        (BOMB, "a document type, got 'lolz'; expected XML without <!DOCTYPE …>"),
        ("<sdf/>", "0 models; expected one model"),
        ('<mujoco><include file="none.xml"/></mujoco>', "MuJoCo refuses it: "),
        ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "MuJoCo refuses it: "),
        (LINKAGE, "URDF has no loops of its own; expected a file of loops, too: robot.yaml"),
        (DELTA.replace('joint="hip1"', 'joint="hip1" gear="0"'), "1 degree of freedom remains to"),
    ],
)  # fmt: skip
def test_what_is_no_machine_of_mujoco_is_refused(tmp_path, text, words):
    assert words in complaint(tmp_path, text)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            [('<weld name="closing" body1="gripper" body2="stub"/>', "")],
            "a chain or a tree without a closed loop, and so no parallel robot",
        ),
        (
            [("</mujoco>", TENDON), ('joint="shoulder_r" gear="20"', 'tendon="cable"')],
            "1 degree of freedom remains to forearm_l when all motors are locked; expected anot",
        ),
        ([('mass="0.05"', 'mass="1e300"')], "stub: a number that is not finite, or above 1e+12"),
        (
            [('<motor joint="shoulder_r" gear="20"/>', "")],
            "1 degree of freedom remains to forearm_l when all motors are locked; expected anot",
        ),
        (
            [('<joint name="tip"/>', '<joint name="tip" type="ball"/>'),
             ('<motor joint="shoulder_r" gear="20"/>', '<motor joint="tip"/>')],
            "1 degree of freedom remains to forearm_l when all motors are locked; expected anot",
        ),
    ],
)  # fmt: skip
def test_what_gough_cannot_say_is_named(tmp_path, changes, words):
    assert words in complaint(tmp_path, changed(FIVE_BAR, *changes), platform="gripper")


def test_a_delta_with_two_arms_side_by_side_is_refused(tmp_path):
    """Near home it has three freedoms in some poses, and four in others."""
    text = changed(DELTA, ('euler="120 0 0"', 'euler="0 0 0"'))
    assert "1 degree of freedom remains to tcp when all motors" in complaint(tmp_path, text)


def test_a_machine_that_cannot_move_is_refused(tmp_path):
    text = changed(
        FIVE_BAR, ("</equality>", '<connect body1="gripper" anchor="0 0 0"/></equality>')
    )
    words = "platform: cannot move: its joints hold it in this pose; expected"
    assert words in complaint(tmp_path, text, platform="gripper")


def test_a_body_that_floats_beside_the_machine_is_left_out(tmp_path):
    ball = '<body name="ball"><freejoint/><geom type="sphere" size="1"/></body></worldbody>'
    file = tmp_path / "machine.xml"
    file.write_text(changed(FIVE_BAR, ("</worldbody>", ball)))
    found = imported(file, platform="gripper")
    assert "body ball, which no joint ties to the machine" in found.left_out


@pytest.mark.parametrize(
    ("platform", "words"),
    [
        (None, "could be the platform; expected the name of one of forearm_l (y, rz), forearm_r ("),
        ("griper", 'no such body (did you mean "gripper"?), got \'griper\''),
        ("frame", "platform: does not move, got 'frame'; expected a moving body"),
    ],
)  # fmt: skip
def test_a_platform_that_cannot_be_is_refused(tmp_path, platform, words):
    assert words in complaint(tmp_path, FIVE_BAR, platform=platform)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([('<child link="rod_2"/>', '<child link="rod_3"/>')], "free2: no such link"),
        ([('<child link="rod_2"/>', '<child link="rod_1"/>')], "rod_1 hangs by two joints"),
        ([('type="continuous"', 'type="planar"')], "mot2: a joint of another type, got 'planar'"),
        ([('<axis xyz="0 0 2"/>', '<axis xyz="0 0 0"/>')], "free2: an axis without direction"),
        ([('<axis xyz="0 0 2"/>', '<axis xyz="0 0 x"/>')], "free2: not a finite number, got '0"),
        ([('mass value="', 'mass value="x')], ".<inertial/mass value>: not a finite number"),
        ([('<axis xyz="0 0 2"/>', '<axis xyz="0 0"/>')], "free2: not 3 numbers"),
        ([('<axis xyz="0 0 2"/>', '<mimic joint="mot9"/>')], "free2: no such joint"),
        ([('<link name="crank_2">', '<link name="crank_1">')], "a <link> with a name given twice"),
        (
            [('xyz="0.1 0.02 0.3"', 'xyz="3 0.02 0.3"')],
            "closedloop3D_1B: the loop does not close: its ends stay",
        ),
    ],
)  # fmt: skip
def test_a_urdf_that_is_wrong_is_refused(tmp_path, changes, words):
    assert words in complaint(tmp_path, changed(LINKAGE, *changes), LOOPS, "effector")


@pytest.mark.parametrize(
    ("loops", "words"),
    [
        ("closed_loop: [", "/loops.yaml: not valid YAML"),
        ("a: &a [1]\nclosed_loop: *a", "/loops.yaml: an alias; expected YAML"),
        ("name_mot: [" + 300_000 * "a" + "]", "the file is too large"),
        ("closed_lop: []", 'closed_lop: unknown key (did you mean "closed_loop"?)'),
        ("closed_loop: [[rod_1, rod_9]]", 'closed_loop[0]: no such frame (did you mean "rod_2"?)'),
        ("name_mot: [mot3]", 'name_mot: no such joint (did you mean "mot2"?), got \'mot3\''),
        ("name_mot: [mot1]\njoint_name: [mot1]\njoint_type: [SPHERICAL]", "driven, and SPHERICAL"),
        ("name_mot: [mot1]\njoint_name: [mot1]\njoint_type: [FIXED]", "mot1: driven, and FIXED"),
        ("name_mot: [mot1, effector_frame]", "effector_frame: driven, and fixed; expected motors"),
    ],
)  # fmt: skip
def test_a_file_of_loops_that_is_wrong_is_refused(tmp_path, loops, words):
    assert words in complaint(tmp_path, LINKAGE, loops, "effector")


@pytest.mark.parametrize(
    ("loops", "key", "value"),
    [
        ("- 1", "", ["1"]),
        ("closed_loop: [[a]]", "closed_loop[0]", ["a"]),
        ("closed_loop: [[a, [b]]]", "closed_loop[0]", ["a", ["b"]]),
        ("closed_loop: [[rod_1, rod_2]]\ntype: [2d]", "type[0]", "2d"),
        ("closed_loop: []\ntype: ['3d']", "type", 1),
        ("joint_name: [mot1]\njoint_type: [BALL]", "joint_type[0]", "BALL"),
        ("joint_name: [free1]\njoint_type: [UJOINT_XX]", "joint_type[0]", "UJOINT_XX"),
        ("joint_name: [mot1]\njoint_type: []", "joint_type", 0),
        ("joint_name: [mot1, mot1]\njoint_type: [FIXED, SPHERICAL]", "joint_name", "mot1"),
        ("name_mot: [mot1]\nname_mot: [mot2]", "name_mot", None),
        ("name_mot: [mot1, mot2, mot1]", "name_mot", "mot1"),
        ("name_mot: [2024-99-99]", "name_mot", "2024-99-99"),
        ("name_mot: [!!timestamp x]", "name_mot", "x"),
    ],
)
def test_what_is_wrong_in_a_file_of_loops_is_named(tmp_path, loops, key, value):
    file = tmp_path / "loops.yaml"
    file.write_text(loops)
    with pytest.raises(InputError) as caught:
        imported(FILES / "linkage.urdf", loops=file, platform="effector")
    assert caught.value.file == file
    assert (caught.value.key, caught.value.value) == (key, value)


def test_a_file_that_gough_wrote_is_no_file_of_loops(tmp_path):
    file = tmp_path / "delta.urdf"
    file.write_text(machine_export(load("delta"), "urdf").text)
    with pytest.raises(GoughError, match=r"delta\.urdf: not valid YAML"):
        imported(file, loops=file)


@pytest.mark.parametrize("platform", [3, ["tcp"], b"tcp"])
def test_a_platform_that_is_no_name_is_refused(platform):
    with pytest.raises(InputError) as caught:
        imported(FILES / "delta.xml", platform=platform)
    assert (caught.value.key, caught.value.value) == ("platform", platform)


@pytest.mark.parametrize("paths", [(3, None), ("linkage.urdf", 3)])
def test_a_path_that_is_none_is_refused(paths):
    path, loops = paths
    with pytest.raises(InputError) as caught:
        imported(path, loops=loops)
    assert (caught.value.value, caught.value.expected) == (3, "the name of a file")


def test_loops_beside_an_mjcf_file_are_refused(tmp_path):
    assert "loops beside an MJCF file" in complaint(tmp_path, FIVE_BAR, LOOPS)


@pytest.mark.parametrize(
    ("package", "file"), [("mujoco", "five_bar.xml"), ("yaml", "linkage.urdf")]
)
def test_a_package_that_is_missing_is_named(monkeypatch, package, file):
    monkeypatch.setitem(sys.modules, package, None)
    loops = FILES / "linkage.yaml" if file == "linkage.urdf" else None
    with pytest.raises(GoughError, match=r'expected .*pip install .*\[exchange\]"'):
        imported(FILES / file, loops=loops)
