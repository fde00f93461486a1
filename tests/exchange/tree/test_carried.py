"""The robot in a comment of an exported file: taken of a file as Gough wrote it, and no other."""

import json
import re
from xml.etree import ElementTree

import pytest

import gough
from gough.disk.sources import stamped
from gough.errors import GoughError
from gough.exchange import export_machine, imported, machine_export
from gough.exchange.tree.document import robot_comment, robot_in_comment

FORMATS = ("mjcf", "urdf", "sdf")
ATTACKS = (
    "--", "---", "-->", "a --> <robot name='b'/> <!-- robot {}", "]]>", "<!-- robot {} -->",
    "\"quoted\" and 'quoted'", "back\\slash\\u002d\\--", "é漢🙂", "&#45;&#45;&gt;", "</robot>",
)  # fmt: skip
LEFT_OUT = (
    "the robot file in its comment, because it was changed, or another platform or home was given"
)


def with_words(name, words):
    """A robot with these words wherever a robot file takes words."""
    data = gough.load(name).to_dict() | {"name": words, "notes": words, "reference": words}
    return gough.Robot.from_dict(data)


def with_comment(text, comment):
    """The text of a file with another last comment, and the right checksum."""
    return stamped(re.sub(r"(?s)<!-- robot .* -->\n$", lambda _: comment, text))


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("words", ATTACKS)
def test_words_that_look_like_xml_stay_in_the_comment(words, to, tmp_path):
    robot = with_words("five-bar", words)
    (file, *_) = export_machine(robot, tmp_path, to)
    ElementTree.parse(file)
    assert file.read_text("utf-8").count("<!-- robot ") == 1
    assert imported(file).robot == robot


@pytest.mark.parametrize("words", ["\x1b[31m and \ufffe", "two\nlines"])
def test_notes_that_xml_cannot_write_come_back(words):
    robot = gough.Robot.from_dict(gough.load("delta").to_dict() | {"notes": words})
    text = machine_export(robot, "mjcf").text
    ElementTree.fromstring(text)
    assert robot_in_comment(stamped(text)).notes == words


@pytest.mark.parametrize("loops", [True, False])
def test_a_urdf_file_of_gough_needs_no_file_of_loops(loops, tmp_path):
    robot = gough.load("delta")
    (file, *_) = export_machine(robot, tmp_path, "urdf", loops=loops)
    assert imported(file).robot == robot


def test_a_file_that_was_changed_is_read_as_it_is_now_and_that_is_told(tmp_path):
    file, loops = export_machine(gough.load("planar-3rrr"), tmp_path, "urdf")
    file.write_text(file.read_text().replace('<mass value="1.2"', '<mass value="2.5"'))
    found = imported(file, loops=loops)
    assert found.robot.platform.mass == 2.5
    assert LEFT_OUT in found.left_out
    assert LEFT_OUT in found.robot.notes


def test_a_robot_that_was_changed_in_the_comment_alone_is_not_taken(tmp_path):
    file, loops = export_machine(gough.load("planar-3rrr"), tmp_path, "urdf")
    file.write_text(file.read_text().replace('"mass": 1.2', '"mass": 2.5'))
    assert imported(file, loops=loops).robot.platform.mass == 1.2


@pytest.mark.parametrize("named", [True, False])
def test_loops_that_were_changed_are_read_as_they_are_now(named, tmp_path):
    file, loops = export_machine(gough.load("planar-3rrr"), tmp_path, "urdf")
    said = loops.read_text()
    motors = re.search("name_mot: (.*)", said)[1]
    loops.write_text(said.replace(motors, json.dumps(json.loads(motors)[::-1])))
    found = imported(file, loops=loops if named else None)
    assert [a.name for a in found.robot.actuators] == json.loads(motors)[::-1]
    assert LEFT_OUT in found.left_out


def test_a_file_without_its_comments_is_one_of_others(tmp_path):
    file, loops = export_machine(gough.load("planar-3rrr"), tmp_path, "urdf")
    file.write_text(re.sub("(?s)<!--.*?-->", "", file.read_text()))
    found = imported(file, loops=loops)
    assert found.robot.reference == "Imported from planar-3rrr.urdf and planar-3rrr.yaml."
    assert LEFT_OUT not in found.left_out


def test_a_changed_sdf_file_has_its_motors_at_the_base(tmp_path):
    (file,) = export_machine(gough.load("delta"), tmp_path, "sdf")
    file.write_text(file.read_text().replace("<mass>", "<mass> "))
    found = imported(file)
    names = [joint.name for joint in found.robot.driven]
    assert names == [joint.name for joint in gough.load("delta").driven]
    assert any(f"they are at {', '.join(names)}, if --motors" in line for line in found.assumed)


HOSTILE = {
    "no JSON": ("{", "not valid JSON"),
    "a list": ("[1, 2]", "not a robot in its last comment"),
    "nothing": ("", "not valid JSON"),
    "no robot": ('{"schema": "gough/1"}', "platform: missing"),
    "another schema": ('{"schema": "gough/9"}', "unknown schema version"),
    "a study": ('{"schema": "gough-study/1"}', "study"),
    "very deep": ("[" * 100_000, "nested too deeply"),
    "deep": ("[" * 99 + "]" * 99, "nested too deeply"),
    "a long number": ('{"schema": ' + "1" * 5_000 + "}", "too many digits"),
    "a key twice": ('{"a": 1, "a": 2}', "a: given twice"),
    "half a letter": (r'{"name": "\ud800"}', "not Unicode text"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_robot_with_a_right_checksum_is_refused_in_words(kind, tmp_path):
    data, words = HOSTILE[kind]
    text = machine_export(gough.load("five-bar"), "mjcf").text
    file = tmp_path / "forged.xml"
    file.write_bytes(with_comment(text, f"<!-- robot {data} -->\n").encode())
    with pytest.raises(GoughError, match=words) as refused:
        imported(file)
    assert str(refused.value).startswith(str(file))
    assert len(str(refused.value)) < 500


def test_numbers_that_are_not_finite_are_refused(tmp_path):
    robot = gough.load("five-bar")
    comment = robot_comment(robot).replace('"mass": ', '"mass": NaN, "was": ', 1)
    file = tmp_path / "forged.xml"
    file.write_bytes(with_comment(machine_export(robot, "mjcf").text, comment).encode())
    with pytest.raises(GoughError, match="mass"):
        imported(file)
