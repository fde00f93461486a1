"""What is shared of the workbench: links, files, pictures; and links that are bad."""

import base64
import json

from browser import until

import gough

POSES = [gough.pose([0.05, -0.02, 0.95], rpy=[0.05, 0.1, -0.2]), gough.pose([-0.04, 0.03, 1.02])]


def button(opened, text):
    return opened.tab.get_by_role("button", name=text, exact=True)


def set_up(opened):
    """Some of everything; without a picture of the machine, which takes time."""
    opened.do("() => { document.getElementById('scene').style.display = 'none'; }")
    for pose in POSES:
        opened.go_to(pose)
        button(opened, "Add this pose").click()
    opened.write("time to waypoint 2", "0.4")
    opened.write("mass of the payload", "12")
    opened.write("z of the tool frame", "150")
    opened.choose("#tools select", 1)


def state(opened):
    return opened.do(
        "() => { const { time, parameters, ...rest } = window.gough.history.now;"
        "return { ...rest, numbers: [...parameters], units: window.gough.units.chosen }; }"
    )


def saved(opened, text):
    with opened.tab.expect_download() as download:
        button(opened, text).click()
    return download.value.path().read_bytes()


def link(data):
    text = data if isinstance(data, str) else json.dumps(data)
    return "#state=" + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def follow(opened, fragment):
    """Go to a link of the page; what it says of it."""
    opened.do(
        """(there) => new Promise((done) => {
          document.querySelector("#notice").hidden = true;
          addEventListener("hashchange", () => done(), { once: true });
          location.hash = there;
        })""",
        fragment,
    )
    return "" if opened.is_hidden("#notice") else opened.texts("#notice span")[0]


def test_a_link_and_a_file_have_all_that_was_set(bench):
    opened = bench("demo-hexapod")
    set_up(opened)
    button(opened, "Copy a link").click()
    wanted, fragment = state(opened), opened.do("() => location.hash")
    file = json.loads(saved(opened, "Save the state"))
    assert file["way"] == wanted["way"]
    assert (
        follow(
            opened,
            link(
                file | {"pose": [0, 0, 1, 1, 0, 0, 0], "units": {"m": 0, "rad": 0, "order": "xyz"}}
            ),
        )
        == ""
    )
    assert state(opened) != wanted
    assert follow(opened, fragment) == ""
    assert state(opened) == wanted
    assert opened.chosen("#tools select")[0] == "1"
    opened.tab.reload()  # as one who opens the link
    until(opened.tab, "window.gough")
    assert state(opened) == wanted


def test_a_bad_link_gives_a_message_and_leaves_the_page_as_it_is(bench):
    opened = bench("demo-hexapod")
    set_up(opened)
    good, wanted = json.loads(saved(opened, "Save the state")), state(opened)
    whole = link(good)
    pose = good["pose"]
    at_once = {"pose": pose, "seconds": 0}
    for fragment, words in {
        whole[:200]: "incomplete",
        "#state=%%%": "incomplete",
        link("[1, 2]"): "expected a table",
        link(good | {"gough": 99}): "the version of the state",
        link(good | {"machine": "<img src=x onerror=alert(1)>"}): "another machine, <img src=x",
        link(good | {"pose": [1e300, *pose[1:]]}): "pose: expected a number from",
        link(good | {"pose": ["<b>", *pose[1:]]}): 'not "<b>"',
        link(good | {"pose": [*pose[:3], 0, 0, 0, 0]}): "the quaternion is zero",
        link(json.dumps(good).replace('"mass": 12', '"mass": NaN')): "incomplete",
        link(good | {"load": {**good["load"], "mass": -1}}): "load.mass",
        link(good | {"way": {"points": [], "profile": "warp"}}): "way.profile: expected one of",
        link(good | {"way": {"points": [at_once], "profile": "smooth"}}): "seconds to waypoint 1",
        link(good | {"numbers": [[1.5, 2]]}): "expected a whole number",
        link(good | {"units": {"m": 7, "rad": 0, "order": "xyz"}}): "units.m",
        link(good | {"more": 1}): '"more" is not understood',
    }.items():  # fmt: skip
        said = follow(opened, fragment)
        assert words in said, said
    assert state(opened) == wanted
    assert opened.count("#notice img, #notice b") == 0


def test_numbers_pictures_and_a_film_are_files(bench):
    opened = bench("demo-hexapod")
    set_up(opened)
    opened.resize(400)  # a small picture is drawn sooner
    opened.do("() => { document.getElementById('scene').style.display = ''; }")
    opened.tab.locator(".along").scroll_into_view_if_needed()
    rows = saved(opened, "Force as CSV").decode().split("\r\n")
    assert rows[0] == "time [s]," + ",".join(f"Leg {k} [N]" for k in range(1, 7))
    last = [float(text) for text in rows[1001].split(",")]
    assert last == [0.4, *opened.do("() => Array.from(window.gough.along().force.slice(-6))")]
    for name in ["Force as PNG", "Minimum margins as PNG", "Picture of the view"]:
        assert saved(opened, name)[:8] == b"\x89PNG\r\n\x1a\n"
    assert saved(opened, "Video of the motion")[:4] == b"\x1aE\xdf\xa3"  # as all WebM begin
    assert opened.do("() => window.gough.history.now.time") == 0.4
