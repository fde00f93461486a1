// A chart of several series over a shared axis: zoom by dragging or keys, values under the pointer.
//
// Ours, because a page is one offline file of tens of kilobytes: chart libraries are ten to twenty
// times that, and not ours to copy.

import { chartPlace, drawAxes, drawInside } from "./chart_drawing.js";
import { chartNotes, chartWords, placeWords, valueWords } from "./chart_words.js";
import { swatch } from "./controls.js";
import { atNextPicture, disc, element, freshContext, line, styleValue, watchSight } from "./dom.js";
import { onNewLook } from "./look.js";
import { valueText } from "./numbers.js";
import { inView, nearest } from "./series.js";
import { showWindow } from "./state.js";

const KEY_STEPS = 100; // steps of the arrow keys across the window
const KEY_ZOOM = 1.5;

/**
 * @typedef {object} Series
 * @property {string} label
 * @property {string} colour name of a colour of the style sheet
 * @property {Float64Array} values NaN where there is none
 * @property {number} [resolution] less than that is nothing
 * @property {number[]} [dash]
 *
 * @typedef {object} Spec
 * @property {string} title
 * @property {string} unit
 * @property {Float64Array} x ascending
 * @property {Series[]} series
 * @property {{value: number, label: string}[]} limits lines across the chart
 * @property {[number, number][]} bands shaded stretches of the axis
 * @property {number[]} marks places on the axis
 * @property {boolean} log whether the vertical axis is logarithmic
 * @property {boolean} mayCut whether the vertical axis may end below peaks
 * @property {boolean} points whether each point is drawn
 * @property {boolean} [scattered] whether points are not joined by lines
 * @property {number[]} [breaks] points that no line joins with those before them, ascending
 * @property {boolean} [bars] whether there are bars, at names along the axis, instead of lines
 * @property {{hidden: Set<number>}} legend has the numbers of the hidden series
 */

/**
 * Draw a chart into `host`; what is changed in `spec` is drawn when its legend is `set`.
 * @param {HTMLElement} host
 * @param {ReturnType<import("./state.js").createAxis>} axis
 * @param {Spec} spec
 */
export function createChart(host, axis, spec) {
  const picture = element("canvas", { className: "chart-picture" });
  const overlay = element("canvas", { className: "chart-overlay", tabIndex: 0 });
  const readout = element("div", { className: "readout", hidden: true });
  const note = element("div", { className: "chart-note", hidden: true });
  const frame = element("div", { className: "chart-frame" }, picture, overlay, readout);
  host.append(frame, note);
  picture.setAttribute("aria-hidden", "true");
  overlay.setAttribute("role", "slider"); // arrow keys go from value to value, and are told

  let place = null; // how values become pixels, from the last drawing
  let dragged = null; // from where to where, in pixels
  let waiting = true; // to be drawn when it comes into sight
  const shown = () => spec.series.filter((_, k) => !spec.legend.hidden.has(k));

  function draw() {
    const { context, width, height } = freshContext(picture);
    if (width < 120) return;
    const series = shown();
    place = chartPlace(axis, spec, series, width, height);
    drawAxes(context, place, axis, spec);
    drawInside(context, place, spec, series);
    overlay.setAttribute("aria-label", chartWords(axis, spec, series));
    tellValues(nearest(spec.x, axis.cursor ?? axis.full[0]));
    note.textContent = chartNotes(spec, series, place.range);
    note.hidden = note.textContent === "";
    waiting = false;
    drawOverlay();
  }

  function drawOverlay() {
    const { context } = freshContext(overlay);
    if (!place) return;
    const { top, bottom, toX, toY } = place;
    if (dragged) {
      const [a, b] = [Math.min(...dragged), Math.max(...dragged)];
      context.fillStyle = styleValue("--selection");
      context.fillRect(a, top, b - a, bottom - top);
    }
    const { cursor } = axis;
    if (cursor === null || cursor < axis.window[0] || cursor > axis.window[1]) { readout.hidden = true; return; }
    const k = nearest(spec.x, cursor);
    const x = toX(axis.snaps ? spec.x[k] : cursor);
    if (spec.bars) {
      context.fillStyle = styleValue("--selection");
      context.fillRect(toX(spec.x[k] - 0.5), top, toX(spec.x[k] + 0.5) - toX(spec.x[k] - 0.5), bottom - top);
    } else {
      context.strokeStyle = styleValue("--cursor");
      line(context, x, top, x, bottom);
    }
    for (const { values, colour } of spec.bars ? [] : shown()) {
      const y = toY(values[k]);
      if (!(y > top - 4 && y < bottom + 4)) continue;
      context.fillStyle = styleValue("--card");
      disc(context, x, y, 4.5);
      context.fillStyle = styleValue(colour);
      disc(context, x, y, 3);
    }
    if (axis.pointed === spec) showReadout(k, x); else readout.hidden = true;
  }

  function showReadout(k, x) {
    const where = placeWords(axis, spec, k);
    const heading = element("b", { text: axis.snaps ? `${axis.label}: ${where}` : where });
    const rows = shown().map(({ label, colour, dash, values, resolution }) => element("div", {}, swatch(colour, dash),
      element("span", { text: label }), element("em", { text: valueText(values[k], 5, resolution) })));
    readout.replaceChildren(heading, ...rows, element("small", { text: `[${spec.unit}]` }));
    readout.hidden = false;
    const left = x + 14 + readout.offsetWidth > frame.clientWidth ? x - 14 - readout.offsetWidth : x + 14;
    readout.style.left = `${Math.max(0, left)}px`;
    tellValues(k);
  }

  function tellValues(k) {
    const [low, high] = axis.full;
    const told = { valuemin: low, valuemax: high, valuenow: spec.x[k], valuetext: valueWords(axis, spec, shown(), k) };
    for (const [name, value] of Object.entries(told)) overlay.setAttribute(`aria-${name}`, String(value));
  }

  const pixel = (event) => {
    const x = event.clientX - overlay.getBoundingClientRect().left;
    return Math.max(place.left, Math.min(place.right, x));
  };
  const drop = () => { dragged = null; drawOverlay(); };

  overlay.addEventListener("pointerdown", (event) => {
    if (!place || event.button !== 0) return;
    overlay.setPointerCapture(event.pointerId);
    dragged = [pixel(event), pixel(event)];
    axis.set({ cursor: place.fromX(dragged[0]), pointed: spec });
  });
  overlay.addEventListener("pointermove", (event) => {
    if (!place) return;
    if (dragged) dragged[1] = pixel(event);
    axis.set({ cursor: place.fromX(pixel(event)), pointed: spec });
  });
  overlay.addEventListener("pointerup", () => {
    if (!dragged) return;
    const [a, b] = [Math.min(...dragged), Math.max(...dragged)];
    if (b - a > 6) showWindow(axis, place.fromX(a), place.fromX(b));
    drop();
  });
  overlay.addEventListener("pointercancel", drop);
  const leave = () => { if (axis.pointed === spec) axis.set({ pointed: null }); };
  overlay.addEventListener("pointerleave", leave);
  overlay.addEventListener("blur", leave);
  overlay.addEventListener("dblclick", () => showWindow(axis, ...axis.full));
  overlay.addEventListener("keydown", (event) => {
    if (!place || !moveByKey(axis, spec.x, event.key, event.shiftKey)) return;
    event.preventDefault();
    axis.set({ pointed: spec });
  });

  const update = (all) => {
    if (!sight.seen) { waiting = waiting || all; return; }
    if (all) draw(); else drawOverlay();
  };
  const redraw = () => update(true);
  axis.listen((names) => update(names.has("window")));
  spec.legend.listen((names) => { if (names.has("hidden")) redraw(); });
  onNewLook(draw);
  new ResizeObserver(atNextPicture(redraw)).observe(frame);
  const sight = watchSight(frame, () => { if (waiting) draw(); else drawOverlay(); });
}

/**
 * Move the cursor or zoom as a key says: arrows (with shift: point by point), Home, End, + and −,
 * Escape for the whole axis. Returns whether the key has a meaning.
 */
export function moveByKey(axis, x, key, oneByOne) {
  const [first, last] = inView(x, axis.window);
  const here = nearest(x, axis.cursor ?? axis.window[0]);
  const step = axis.snaps || oneByOne ? 1 : Math.max(1, Math.round((last - first) / KEY_STEPS));
  const goTo = (k) => axis.set({ cursor: x[Math.max(first, Math.min(last, k))] });
  const zoom = (factor) => {
    const [low, high] = axis.window, middle = Math.max(low, Math.min(high, x[here]));
    showWindow(axis, middle - (middle - low) / factor, middle + (high - middle) / factor);
  };
  const moves = {
    ArrowLeft: () => goTo(here - step), ArrowRight: () => goTo(here + step),
    Home: () => goTo(first), End: () => goTo(last),
    "+": () => zoom(KEY_ZOOM), "-": () => zoom(1 / KEY_ZOOM),
    Escape: () => showWindow(axis, ...axis.full),
  };
  moves[key]?.();
  return key in moves;
}
