"""Files of machines that ask for more than there is, or for what is elsewhere, are refused."""

import os
import time
from pathlib import Path

import pytest

from gough.errors import GoughError
from gough.exchange import imported
from gough.exchange.importing import reading_process

FILES = Path(__file__).parents[2] / "data" / "imports"
FIVE_BAR = (FILES / "five_bar.xml").read_text()
LINKAGE = (FILES / "linkage.urdf").read_text()
LOOPS = (FILES / "linkage.yaml").read_text()
LONGEST = 5.0
"""Seconds of processor time."""
LIMITS = "MuJoCo cannot compile it; expected what takes less than 1 s and 1.5 GiB"
TEXTURE = '<asset><texture type="2d" builtin="flat" name="t" width="60000" height="60000"/></asset>'
FIELD = '<asset><hfield name="h" nrow="60000" ncol="60000" size="1 1 1 1"/></asset>'
COPIES = '<replicate count="{}" offset="0 0 1"><site/></replicate>'
NESTED = (
    COPIES.format(1000).replace("<site/>", COPIES.format(1000)).replace("<site/>", COPIES.format(9))
)


def refusal(tmp_path, text, loops=None, platform="gripper"):
    """What is said of a file with this text, and that soon."""
    file, beside = tmp_path / "machine.xml", None
    file.write_text(text)
    if loops is not None:
        beside = tmp_path / "loops.yaml"
        beside.write_text(loops)
    began = os.times()
    with pytest.raises(GoughError) as caught:
        imported(file, loops=beside, platform=platform)
    took = os.times()
    assert sum(took[:4]) - sum(began[:4]) < LONGEST + 1.0  # with the process of MuJoCo
    return str(caught.value)


def with_part(part, where="</mujoco>"):
    return FIVE_BAR.replace(where, part + where)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (with_part(TEXTURE), "MuJoCo"),
        (with_part(FIELD), "MuJoCo"),
        (with_part('<size nuserdata="2000000000"/>'), "MuJoCo"),
        (with_part(COPIES.format(3000), "</worldbody>"), "<replicate count>: too many, got '3000'"),
        (with_part(2 * COPIES.format(900), "</worldbody>"), "sites; expected at most 1,000"),
        (with_part(NESTED, "</worldbody>"), LIMITS),
    ],
    ids=["texture", "height field", "user data", "copies", "copies twice", "copies of copies"],
)
def test_what_swells_in_mujoco_is_refused(tmp_path, text, words, monkeypatch):
    if "MuJoCo" in words:  # it may take as long as it is let
        monkeypatch.setattr(reading_process, "MOST_SECONDS", 1)
    assert words in refusal(tmp_path, text)


@pytest.mark.posix
def test_pipes_and_files_elsewhere_are_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "good.xml").write_text("<mujoco><worldbody/></mujoco>")
    began = time.monotonic()
    for part, words in (
        ('<include file="pipe"/>', "pipe: not a regular file; expected an MJCF file"),
        ('<include file="/etc/passwd"/>', "it names a file elsewhere, got '/etc/passwd'"),
        ('<include file="../x.xml"/>', "it names a file elsewhere"),
        ('<asset><model name="m" file="/etc/passwd"/></asset>', "it names a file elsewhere"),
        ('<asset><mesh name="m" file="pipe"/></asset>', "pipe'; expected a file"),
        ('<asset><mesh name="m" file="/dev/zero"/></asset>', "not a regular file, got '/dev/zero'"),
        (
            '<compiler meshdir="/dev"/><asset><mesh name="m" file="zero"/></asset>',
            "not a regular file, got '/dev/zero'",
        ),
    ):
        assert words in refusal(tmp_path, with_part(part))
    assert time.monotonic() - began < 10 * LONGEST


@pytest.mark.parametrize("number", ["nan", "-NaN", "nan(7)", "inf", "1e999"])
def test_a_number_that_is_not_finite_is_no_number_that_was_not_given(tmp_path, number):
    text = FIVE_BAR.replace('mass="0.05"', f'mass="{number}"')
    assert f"mass>: not a finite number, got '{number}'; expected" in refusal(tmp_path, text)
    (tmp_path / "part.xml").write_text(f'<mujoco><option timestep="{number}"/></mujoco>')
    words = f"part.xml: <option timestep>: not a finite number, got '{number}'"
    assert words in refusal(tmp_path, with_part('<include file="part.xml"/>'))


def test_armature_is_kept(tmp_path):
    file = tmp_path / "machine.xml"
    file.write_text(FIVE_BAR.replace('name="shoulder_l"', 'name="shoulder_l" armature="0.025"', 1))
    found = imported(file, platform="gripper")
    assert found.robot.driven[0].armature == 0.025
    assert not any("armature" in line for line in found.left_out)


def chain(count, *, from_base=False):
    """A URDF file of links one behind the other, the last of which meets the base; its loops."""
    parts = ['<robot name="chain"><link name="l0"/><link name="end"/>']
    parts.append('<joint name="e" type="fixed"><parent link="l0"/><child link="end"/></joint>')
    for k in range(1, count + 1):
        ends = f'<parent link="l{0 if from_base else k - 1}"/><child link="l{k}"/>'
        parts.append(f'<link name="l{k}"/><joint name="j{k}" type="continuous">{ends}</joint>')
    loops = f'closed_loop: [[l{count}, end]]\ntype: ["3d"]\nname_mot: [j1]\n'
    return "\n".join([*parts, "</robot>"]), loops


@pytest.mark.parametrize(
    ("count", "from_base", "words"),
    [
        (
            101,
            False,
            "101 degrees of freedom of its joints, and 1 loops; expected at most 100",
        ),
        (900, True, "900 degrees of freedom of its joints"),
        (20_000, False, "20,002 of <link>; expected at most 1,000"),
        (20_000, True, "20,002 of <link>; expected at most 1,000"),
        (60_000, False, "more than 100,000 elements"),
    ],
)
def test_a_very_long_chain_is_refused(tmp_path, count, from_base, words):
    text, loops = chain(count, from_base=from_base)
    assert words in refusal(tmp_path, text, loops, "l1")


def test_a_file_nested_deeply_is_refused(tmp_path):
    deep = "<body>" * 900 + "</body>" * 900
    assert "machine.xml: " in refusal(tmp_path, f"<mujoco><worldbody>{deep}</worldbody></mujoco>")
    text, loops = "<robot>" * 50_000 + "</robot>" * 50_000, LOOPS
    assert "machine.xml: " in refusal(tmp_path, text, loops)
