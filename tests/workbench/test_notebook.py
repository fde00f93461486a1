"""The workbench in a notebook: a widget whose pose is that of the page in its frame."""

import json

import pytest
import traitlets
from browser import open_context, until

import gough
from gough.errors import GoughError
from gough.workbench import notebook

MODEL = """(values) => {
  const listeners = {};
  window.saved = 0;
  return {
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; },
    save_changes: () => { window.saved += 1; },
    on: (name, f) => { listeners[name] = f; },
    off: (name) => { delete listeners[name]; },
    tell: (name) => listeners[`change:${name}`](),
  };
}"""
"""As much of a notebook's model as a widget uses."""


def test_a_widget_holds_the_page_and_a_pose():
    widget = gough.view(gough.load("delta"), height=500)
    assert widget.height == 500
    assert widget.page.startswith("<!doctype html>")
    widget.pose = [0, 0, -0.8, 2, 0, 0, 0]
    assert widget.pose == [0, 0, -0.8, 1, 0, 0, 0]
    with pytest.raises((GoughError, traitlets.TraitError)):
        widget.pose = [0, 0, -0.8, 0, 0, 0, 0]


def test_frame_and_notebook_tell_each_other_where_the_platform_is(browser):
    widget = gough.view(gough.load("demo-hexapod"))
    values = {name: getattr(widget, name) for name in ("page", "title", "height", "pose")}
    tab = open_context(browser).new_page()
    esm = json.dumps(str(widget._esm))
    tab.evaluate(
        f"""async (values) => {{
          const url = URL.createObjectURL(new Blob([{esm}], {{ type: "text/javascript" }}));
          window.model = ({MODEL})(values);
          (await import(url)).default.render({{ model: window.model, el: document.body }});
        }}""",
        values,
    )
    frame = next(f for f in tab.frames if f.parent_frame)
    until(frame, "window.gough")
    frame.evaluate("() => window.gough.goTo([0.05, 0, 0.95, 1, 0, 0, 0])")
    until(tab, "window.model.get('pose')[0] === 0.05")
    tab.evaluate("() => { model.set('pose', [0, 0.02, 1, 1, 0, 0, 0]); model.tell('pose'); }")
    until(frame, "window.gough.history.now.pose.join() === '0,0.02,1,1,0,0,0'")
    tab.context.close()


def test_without_its_libraries_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "anywidget", None)
    notebook._widget.cache_clear()
    with pytest.raises(GoughError, match=r"\[notebook\]"):
        gough.view(gough.load("delta"))
    notebook._widget.cache_clear()
