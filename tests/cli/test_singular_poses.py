"""Commands at singular poses: each says so."""

import json

import pytest

from gough.robot import load

FOLDED = ("--position", 0.05, 0.1, 0.0)
WORDS = "warning singular: condition number of J"


def along_the_first_axis(k):
    leg = load("kalani-2016").legs[k]
    place = zip(leg.base, leg.first_axis, leg.platform, strict=True)
    return ("--position", *(base + axis - platform for base, axis, platform in place))


@pytest.mark.parametrize("command", ["pose ik", "pose singularity"])
def test_a_singular_pose_is_called_so(gough, command):
    assert WORDS in gough(command, "kalani-2016", *FOLDED).out
    leg = gough(command, "kalani-2016", *along_the_first_axis(1)).out
    assert "warning singular: leg 2 stands along the first axis of its universal joint" in leg
    assert "warning" not in gough(command, "kalani-2016").out


@pytest.mark.parametrize("command", ["pose ik", "pose singularity"])
def test_plain_data_say_so_too(gough, command):
    shown = json.loads(gough(command, "kalani-2016", *along_the_first_axis(4), "--json").out)
    (words,) = shown["warnings"]
    assert words.startswith("singular: leg 5 stands along")


def test_a_file_with_a_singular_home_is_warned_about(gough, tmp_path):
    data = load("kalani-2016").to_dict()
    data["leg"]["kind"] = "SPS"
    for leg in data["legs"]:
        leg["platform"] = [0.5 * x for x in leg["base"]]
        leg.pop("first_axis")
    file = tmp_path / "similar.json"
    file.write_text(json.dumps(data))
    done = gough("check", file)
    assert done.code == 0
    assert "warning at home singular: condition number of J" in done.out
    assert len(json.loads(gough("check", file, "--json").out)["warnings"]) == 1
