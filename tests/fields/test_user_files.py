"""Files that users give: regular, small, plain, or refused at once in a line that says why."""

import json
import os
import threading
import time

import numpy as np
import pytest

from gough.errors import InputError
from gough.fields.user_files import DEEPEST, MOST_BYTES, plain_data, read_table, read_text


def complaint(path, wanted="a robot file"):
    began = time.perf_counter()
    with pytest.raises(InputError) as caught:
        read_table(path, wanted)
    assert time.perf_counter() - began < 2.0
    assert caught.value.file == path
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("radius = 750 mm", "750 mm"),
        ("mass = 5kg  # of steel", "5kg"),
        ("gravity = [0, 0, -9.81 m/s^2]", "-9.81 m/s^2"),
        ("box = {x = 1e-3 m, y = 2}", "1e-3 m"),
    ],
)
def test_a_number_with_a_unit_is_told_to_be_in_quotes(tmp_path, line, number):
    path = tmp_path / "a.toml"
    path.write_text(f'name = "5 mm"\n{line}\n')
    assert complaint(path).expected == f'a number with a unit in quotes: "{number}"'


@pytest.mark.parametrize("line", ["a b = 3 mm", "a = 1.2.3", 'a = "5 mm" x', "a = x # 5 mm", "[a"])
def test_other_lines_that_are_no_toml_have_no_such_hint(tmp_path, line):
    path = tmp_path / "a.toml"
    path.write_text(f"{line}\n")
    assert complaint(path).expected is None


@pytest.mark.posix
@pytest.mark.parametrize("source", ["/dev/zero", "/dev/random", "/dev/null"])
def test_devices_are_not_read(tmp_path, source):
    (tmp_path / "a.toml").symlink_to(source)
    assert complaint(tmp_path / "a.toml").problem == "not a regular file"


@pytest.mark.posix
def test_nobody_waits_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "a.toml")
    assert complaint(tmp_path / "a.toml").problem == "not a regular file"


def test_a_file_is_read_up_to_a_limit(tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(b"#" * MOST_BYTES)
    assert len(read_text(path, "a text")) == MOST_BYTES
    path.write_bytes(b"a = [" + b"1," * 5_000_000 + b"]")
    assert complaint(path).problem == "the file is too large"
    assert complaint(path).expected == "at most 1 MiB"


def test_a_file_that_grows_is_refused(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b" ")
    done = threading.Event()

    def grow():
        with path.open("ab") as file:
            while not done.is_set() and file.tell() < 64 * MOST_BYTES:
                file.write(b" " * MOST_BYTES)

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        complaint(path)
    finally:
        done.set()
        writer.join()


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.json", '{"a": 1, "b": {"c": 1, "c": 2}}', "c: given twice; expected each key once"),
        ("a.json", '{"a": ' + "[" * 990 + "]" * 990 + "}", "nested too deeply"),
        ("a.json", '{"a": ' + "[" * 100 + "]" * 100 + "}", "nested too deeply"),
        ("a.toml", "a = " + "[" * 100 + "]" * 100, "nested too deeply"),
        ("a.toml", "a = " + "{b = " * 100 + "1" + "}" * 100, "nested too deeply"),
        ("a.toml", "a" + ".b" * 100 + " = 1", "nested too deeply"),
        ("a.toml", "a = " + "9" * 5000, "not valid TOML: a number has too many digits"),
        ("a.json", '{"a": ' + "9" * 5000 + "}", "not valid JSON: a number has too many digits"),
        ("a.toml", "a.b = " + "9" * 400, "a.b: a whole number that is too large"),
        ("a.toml", "a = [1, {b = 2020-01-01}]", "a[1].b: date is not a kind of value here"),
        ("a.toml", "a = 2020-01-01T00:00:00Z", "a: datetime is not a kind of value here"),
        ("a.toml", "a = 07:32:00", "a: time is not a kind of value here"),
        ("a.json", '{"notes": "x\\ud800y"}', "notes: not Unicode text"),
        ("a.json", '{"\\ud800": 1}', "not Unicode text"),
        ("a.json", "[1, 2]", "not a table of keys and values, got [1, 2]"),
        ("a.yaml", "a: 1", 'unknown kind of file ".yaml"'),
        ("a.toml", "", "the file is empty"),
    ],
)
def test_what_is_no_plain_table_is_refused(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    assert words in str(complaint(tmp_path / name))


def test_what_is_not_deep_or_odd_is_read(tmp_path):
    data = {"a": [1, -0.5, True, None, "é😀\n"], "deep": json.loads("[" * 50 + "]" * 50)}
    (tmp_path / "a.json").write_text(json.dumps(data))
    assert read_table(tmp_path / "a.json", "a table") == data


def test_data_of_python_are_made_plain():
    data = plain_data({"a": (1, np.float64(2.5)), "b": np.eye(2), "c": np.int64(3)})
    assert data == {"a": [1, 2.5], "b": [[1.0, 0.0], [0.0, 1.0]], "c": 3}
    assert {type(x) for x in data["a"]} == {int, float}


@pytest.mark.parametrize("odd", [object(), 1j, b"x", {1, 2}, {3: 4}])
def test_other_data_of_python_are_refused_with_their_place(odd):
    with pytest.raises(InputError) as caught:
        plain_data({"a": [0, odd]})
    assert caught.value.key == "a[1]"


def test_data_that_contain_themselves_are_too_deep():
    data = {}
    data["a"] = data
    with pytest.raises(InputError) as refused:
        plain_data(data)
    assert refused.value.key.count("a") > DEEPEST
    assert refused.value.expected.startswith(f"at most {DEEPEST} ")
