"""The small browser of the tests is strict: what a real one lacks or complains of is an error."""

import pytest
from page_driver import Page
from py_mini_racer import JSEvalException

PAGE = """<!doctype html><html><head><style>:root {{ --ink: #112233; }}
@media screen and (prefers-color-scheme: dark) {{
  :root:not(.on-paper) {{ --ink: #ffffff; }}
}}</style></head><body><div id="box"></div><canvas id="picture"></canvas><script>
const box = document.getElementById("box"), canvas = document.getElementById("picture");
const context = canvas.getContext("2d");
{}
</script></body></html>"""


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("document.write('x')", "document has no write"),
        ("window.fetch('x')", "window has no fetch"),
        ("box.innerHTML = 'x'", "<div> has no innerHTML"),
        ("box.value = '3'", "<div> has no value"),
        ("box.style.colour = 'red'", "style.colour"),
        ("box.style.left = `${NaN}px`", "NaN"),
        ("box.style.background = 'var(--paper)'", "no --paper"),
        ("box.textContent = `${undefined} N`", "undefined"),
        ("box.querySelector('div > p')", "not understood"),
        ("box.addEventListener('clack', () => 0)", "no event clack"),
        ("context.lineTo(1, NaN)", "no finite number"),
        ("context.lineTo(1, '2')", "no finite number"),
        ("context.arc(1, 1, -1, 0, 6)", "radius"),
        ("context.fillStyle = 'var(--ink)'", "no colour"),
        ("context.restore()", "restore without save"),
        ("context.ellipse(0, 0, 1, 1, 0, 0, 6)", "context has no ellipse"),
        ("canvas.width = 10.5", "10.5"),
        ("canvas.getContext('webgl')", "no context"),
        ("new ResizeObserver(() => box.append('x')).observe(box)", "ResizeObserver loop"),
        ("getComputedStyle(document.documentElement).getPropertyValue('--pen')", "no --pen"),
        ("window.matchMedia('(max-width: 3px)')", "not known"),
        ("requestAnimationFrame(() => nothing())", "nothing is not defined"),
        ("document.getElementById('later').hidden = true", "null"),
    ],
)
def test_what_a_browser_would_not_do_is_an_error(script, complaint):
    with pytest.raises(JSEvalException, match=complaint):
        Page(PAGE.format(script))


def test_an_ordinary_script_runs_and_its_complaints_are_kept():
    page = Page(
        PAGE.format(
            "box.textContent = 'three'; console.warn('careful', 3);"
            "context.fillStyle = getComputedStyle(document.documentElement)"
            ".getPropertyValue('--ink').trim(); context.fillRect(1, 2, 3, 4);"
        )
    )
    assert page.texts("#box") == ["three"]
    assert page.complaints() == ["warn: careful 3"]
    ((drawn,),) = page.drawings("canvas")
    assert (drawn["look"], drawn["points"]) == (["#112233"], [[1, 2], [4, 6]])
