"""Reading charts as people do: by what is drawn, and by the ticks of the axes."""

import numpy as np

LEFT, RIGHT = 62, 14  # the margins of a chart, in pixels


def number(text):
    """A number as the page writes it."""
    plain = text.replace("−", "-").replace("\u2009", "")
    mantissa, _, power = plain.partition("·10")
    raised = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return float(mantissa) * 10.0 ** int(raised or 0)


def lines(drawings, dashed=False):
    """The lines of a chart's series: strokes inside the axes, not of limits or marks."""
    kinds = ([], [6, 4]) if dashed else ([],)
    return [d for d in drawings if d["kind"] == "stroke" and d["clipped"] and d["dash"] in kinds]


def bars(drawings):
    """The bars of a chart's series, each its colour, left end and height from zero [pixels]."""
    inside = [d for d in drawings if d["kind"] == "fillRect" and d["clipped"]]
    return [(d["look"], d["points"][0][0], d["points"][0][1]) for d in inside]


def charts_of(data):
    return [*data["beside"], *(chart for part in data["sections"] for chart in part["charts"])]


def series_count(chart, data):
    if chart["kind"] == "parts":
        return len(chart["parts"])
    keys = [chart["quantity"], *filter(None, [chart["wanted"]])]
    return sum(len(data["quantities"][key]["packed"]["rows"]) for key in keys)


def vertical_axis(drawings):
    """Pixels and values of the ticks of the vertical axis."""
    ticks = [d for d in drawings if d["kind"] == "text" and d["points"][0][0] == LEFT - 8]
    return np.array([(d["points"][0][1] - 0.5, number(d["text"])) for d in ticks]).T


def values_at(drawings, pixels):
    """What heights in pixels mean, by the ticks of the axis."""
    rows, values = vertical_axis(drawings)
    assert len(rows) >= 2
    return np.polyval(np.polyfit(rows, values, 1), pixels)


def ends(drawings):
    """The least and greatest value of each line, by the ticks of the axis."""
    heights = [np.array(d["points"])[:, 1] for d in lines(drawings, dashed=True)]
    return np.array([values_at(drawings, [y.max(), y.min()]) for y in heights])
