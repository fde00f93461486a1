"""Reports printed by a real browser: every chart has its lines, every table all its columns."""

import re
from collections import Counter
from functools import cache

import pytest
from browser import Page
from paper import Headings, columns_of_colour, needed, places, printed, words
from report_samples import CIRCLE, page, payload

from designs import two_aims
from gough.report.design_page import design_page
from gough.report.study_page import grid_page
from gough.studies.run import run

KINDS = ("circle", "grid", "simulation")


@pytest.fixture(scope="module")
def pdf(tabs, tmp_path_factory):
    """Prints a text that is a page."""
    needed()

    def made(text):
        folder = tmp_path_factory.mktemp("paper")
        (folder / "page.html").write_text(text, encoding="utf-8")
        opened = Page(tabs, folder / "page.html")
        try:
            return printed(opened, folder / "page.pdf")
        finally:
            opened.tab.close()

    return made


@pytest.fixture(scope="module")
def pdf_of(pdf):
    return cache(lambda kind: pdf(page(kind)))


def letters(text):
    """A text without its spaces: where lines are broken does not matter."""
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize("kind", ["circle", "simulation"])
def test_every_chart_has_its_lines_on_paper(pdf_of, kind):
    pdf, data = pdf_of(kind), payload(page(kind))
    sections = [data["beside"], *(section["charts"] for section in data["sections"])]
    titles = Counter(chart["title"] for charts in sections for chart in charts)
    assert titles.total() > 20
    for title, count in titles.items():
        found = places(pdf, f"{title} [")
        assert len(found) == count, title
        for number, _, bottom in found:
            below = bottom + 20  # the legend may stand there
            assert columns_of_colour(pdf, number, below, below + 110) > 200, title


def test_the_charts_of_a_grid_are_on_paper(pdf_of):
    pdf = pdf_of("grid")
    for over in ("height", "tool"):
        ((number, _, bottom),) = places(pdf, f"Peak force [N] over {over}")
        assert columns_of_colour(pdf, number, bottom + 8, bottom + 100) > 200


def test_the_map_of_a_grid_of_many_rows_is_on_one_sheet(pdf):
    heights = [round(0.95 + 0.003 * k, 3) for k in range(26)]
    axes = [
        {"name": "height", "parameter": "motion.z", "values": heights},
        {"name": "turn", "parameter": "motion.roll", "values": [0.0, 0.1]},
    ]
    paper = pdf(grid_page(run({**CIRCLE, "samples": 21, "variations": axes})))
    ((first, _, _),) = places(paper, "Peak force [N]: height downwards")
    ((last, _, _),) = places(paper, "Darker means more")
    assert first == last
    assert "click" not in words(paper).lower()


@pytest.mark.parametrize("kind", KINDS)
def test_every_column_of_every_table_is_on_paper(pdf_of, kind):
    text = letters(words(pdf_of(kind)))
    headings = Counter(letters(heading) for heading in Headings(page(kind)).found)
    assert len(headings) > 12
    for heading, count in headings.items():
        assert text.count(heading) >= count, heading


def test_the_machine_is_a_picture_on_paper(pdf_of):
    pdf = pdf_of("circle")
    ((number, top, _),) = places(pdf, "leg pulls")
    ((same, bottom, _),) = places(pdf, "The machine and its forces at 0 s")
    assert number == same
    assert bottom - top > 200
    assert columns_of_colour(pdf, number, top + 40, bottom - 50) > 80


def test_a_machine_that_was_designed_stands_at_home_beside_what_is_required_of_it(pdf):
    front = two_aims().front(3, starts=1)
    paper = pdf(design_page(front, "two aims", ["one.toml", "two.toml", "three.toml"]))
    ((first, _, _),) = places(paper, "Requirements")
    ((number, _, _),) = places(paper, "The machine and its forces")
    assert first == number
    assert "The machine and its forces at home" in words(paper)


def test_nothing_that_is_pressed_is_on_paper(pdf_of):
    text = words(pdf_of("circle"))
    assert "Reset view" not in text
    assert "Whole time" not in text
    assert "The machine and its forces at 0 s" in text


def test_inputs_are_unfolded_on_paper(pdf_of):
    text = letters(words(pdf_of("circle")))
    assert letters('"x": "0.12*cos(1.5*pi*t)"') in text
    assert letters('"back_emf": 0.6') in text


def test_a_grid_of_many_variations_and_long_names_loses_nothing(pdf):
    names = [f"a rather long name of variation number {k}" for k in range(1, 6)]
    paths = ["tasks[0].force", "motion.z", "motion.roll", "motion.x", "motion.y"]
    values = [[[0, 0, -1000.125], [12345.678, 0, -300]], [0.95, 1.25], [0.1], [0.0], [0.0]]
    axes = [
        {"name": name, "parameter": path, "values": those}
        for name, path, those in zip(names, paths, values, strict=True)
    ]
    text = grid_page(run({**CIRCLE, "samples": 21, "variations": axes}))
    found = letters(words(pdf(text)))
    for heading in Headings(text).found:
        assert letters(heading) in found, heading
    rows = re.findall(r'<td class="words" data-value="\d+" title="([^"]*)"', text)
    assert max(row.count("\n") for row in rows) > 0  # more than the screen shows of a row
    for warning in "\n".join(rows).split("\n"):
        assert letters(warning)[1:] in found, warning
