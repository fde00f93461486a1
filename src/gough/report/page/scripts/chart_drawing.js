// Drawing a chart: its axes, limits, marks and lines, on a canvas.

import { disc, line, styleValue } from "./dom.js";
import { linearTicks, logTicks, tickTexts } from "./numbers.js";
import { extent, inView, outline, usualSize } from "./series.js";

const CHART_MARGIN = { left: 62, right: 14, top: 12, bottom: 26 };
const CHART_FONT = '11px system-ui, -apple-system, "Segoe UI", sans-serif';
const MOST_TICKS = 12; // along the horizontal axis
const PEAK_LIMIT = 8; // an axis is cut where peaks exceed the usual values this many times
const BARS = 0.8; // of the way from one name to the next, the width of its bars together
const LEAST_SPAN = 0.002; // of the values' size: less than that is rounding, not a change

/** The values that the vertical axis spans; `cut` says that peaks go beyond it. */
export function verticalRange({ list, first, last, log, limits, mayCut, bars }) {
  const found = extent(list, first, last, log);
  if (found === null) return { low: 0, high: 1, cut: false };
  let [low, high] = bars ? [Math.min(0, found[0]), Math.max(0, found[1])] : found;
  if (log) return { low: low / 1.15, high: Math.max(high * 1.15, low * 1.5), cut: false };
  let cut = false;
  if (mayCut) {
    const usual = usualSize(list, first, last);
    if (usual > 0 && Math.max(high, -low) > PEAK_LIMIT * usual) {
      [low, high, cut] = [Math.max(low, -3 * usual), Math.min(high, 3 * usual), true];
    }
  }
  const least = LEAST_SPAN * Math.max(Math.abs(low), Math.abs(high));
  if (high - low < least) [low, high] = [(low + high - least) / 2, (low + high + least) / 2];
  const span = high - low || 1;
  for (const { value } of limits) {
    if (value > high && value - high < 0.5 * span) high = value;
    if (value < low && low - value < 0.5 * span) low = value;
  }
  const room = 0.06 * (high - low || span);
  const open = (end) => (bars && end === 0 ? 0 : room); // bars stand on zero
  return { low: low - open(low), high: high + open(high), cut };
}

/** How values become pixels in a chart of this size, and which of them are in view. */
export function chartPlace(axis, spec, series, width, height) {
  const [first, last] = inView(spec.x, axis.window);
  const list = series.map(({ values }) => values);
  const range = verticalRange({ list, first, last, limits: spec.limits, log: spec.log, mayCut: spec.mayCut, bars: spec.bars });
  const { left, top } = CHART_MARGIN;
  const right = width - CHART_MARGIN.right, bottom = height - CHART_MARGIN.bottom;
  const [from, to] = axis.window;
  const map = spec.log ? Math.log10 : (v) => v;
  const perX = (right - left) / (to - from || 1);
  const perY = (bottom - top) / (map(range.high) - map(range.low));
  return {
    first, last, range, left, right, top, bottom,
    toX: (x) => left + (x - from) * perX,
    fromX: (pixel) => from + (pixel - left) / perX,
    toY: (y) => bottom - (map(y) - map(range.low)) * perY,
  };
}

/** Places of names along an axis with room for `most` of them. */
function everyName(count, most) {
  const stride = Math.ceil(count / most);
  return Array.from({ length: Math.ceil(count / stride) }, (_, k) => k * stride);
}

/** A text that is not wider than a space; its end is left out where it would be. */
function fitted(context, text, space) {
  let length = text.length;
  const shown = () => (length < text.length ? `${text.slice(0, length)}…` : text);
  while (length > 1 && context.measureText(shown()).width > space) length -= 1;
  return shown();
}

export function drawAxes(context, place, axis, spec) {
  const { range, left, right, top, bottom, toX, toY } = place;
  const rows = Math.max(2, Math.floor((bottom - top) / 34));
  const vertical = (spec.log ? logTicks : linearTicks)(range.low, range.high, rows);
  const columns = Math.max(2, Math.min(MOST_TICKS, Math.floor((right - left) / 52)));
  const across = axis.names ? everyName(axis.names.length, columns) : linearTicks(...axis.window, columns);
  context.font = CHART_FONT;
  context.lineWidth = 1;
  context.strokeStyle = styleValue("--grid");
  context.fillStyle = styleValue("--muted");
  context.textAlign = "right";
  context.textBaseline = "middle";
  const texts = tickTexts(vertical);
  vertical.forEach((tick, k) => {
    const y = Math.round(toY(tick)) + 0.5;
    line(context, left, y, right, y);
    context.fillText(texts[k], left - 8, y);
  });
  context.textBaseline = "top";
  context.textAlign = "center";
  const words = axis.names ? across.map((k) => axis.names[k]) : tickTexts(across);
  const space = axis.names && across.length > 1 ? toX(across[1]) - toX(across[0]) - 6 : right - left;
  across.forEach((tick, k) => {
    const x = Math.round(toX(tick)) + 0.5;
    if (!spec.bars) line(context, x, top, x, bottom);
    const text = k === across.length - 1 && !axis.names ? `${words[k]} ${axis.unit}`.trim() : fitted(context, words[k], space);
    const half = context.measureText(text).width / 2;
    context.fillText(text, Math.min(x, right + CHART_MARGIN.right - half - 2), bottom + 7);
  });
  if (range.low < 0 && range.high > 0 && !spec.log) {
    context.strokeStyle = styleValue("--axis");
    line(context, left, Math.round(toY(0)) + 0.5, right, Math.round(toY(0)) + 0.5);
  }
}

/** Everything inside the axes; what goes beyond them is not shown. */
export function drawInside(context, place, spec, series) {
  const { left, right, top, bottom } = place;
  context.save();
  context.beginPath();
  context.rect(left, top - 4, right - left, bottom - top + 8);
  context.clip();
  drawBands(context, place, spec.bands);
  drawMarks(context, place, spec.marks);
  if (spec.bars) drawBars(context, place, spec, series);
  else for (const one of series) drawSeries(context, place, spec, one);
  drawLimits(context, place, spec.limits);
  context.restore();
}

function drawBands(context, { toX, top, bottom }, bands) {
  context.fillStyle = styleValue("--alert-ground");
  for (const [from, to] of bands) context.fillRect(toX(from), top, Math.max(1, toX(to) - toX(from)), bottom - top);
}

function drawMarks(context, { toX, top, bottom }, marks) {
  context.strokeStyle = styleValue("--alert");
  context.setLineDash([2, 3]);
  for (const mark of marks) line(context, toX(mark), top, toX(mark), bottom);
}

function drawLimits(context, { range, left, right, top, toY }, limits) {
  context.strokeStyle = styleValue("--limit");
  context.lineWidth = 1;
  context.setLineDash([7, 4]);
  context.textAlign = "left";
  context.textBaseline = "middle";
  let labelled = Infinity;
  for (const { value, label } of limits) {
    if (value < range.low || value > range.high) continue;
    const y = toY(value);
    line(context, left, y, right, y);
    if (Math.abs(y - labelled) < 16) continue;
    labelled = y;
    const middle = y - top < 16 ? y + 9 : y - 9;
    context.globalAlpha = 0.8; // lines behind the label shine through a little
    context.fillStyle = styleValue("--card");
    context.fillRect(left + 4, middle - 7, context.measureText(label).width + 4, 14);
    context.globalAlpha = 1;
    context.fillStyle = styleValue("--limit");
    context.fillText(label, left + 6, middle);
  }
}

/** A group of bars at each place: between names there is nothing that a line could join. */
function drawBars(context, { first, last, toX, toY }, spec, series) {
  const drawn = series.filter(({ values }) => values.some(Number.isFinite));
  const width = BARS / drawn.length;
  drawn.forEach(({ values, colour }, n) => {
    context.fillStyle = styleValue(colour);
    for (let k = first; k <= last; k += 1) {
      if (!Number.isFinite(values[k])) continue;
      const left = toX(spec.x[k] - BARS / 2 + n * width), right = toX(spec.x[k] - BARS / 2 + (n + 1) * width);
      context.fillRect(left, toY(Math.max(0, values[k])), Math.max(1, right - left - 1), Math.abs(toY(values[k]) - toY(0)));
    }
  });
}

/** The stretches of places from first to last that lines join: they begin anew at each break. */
function joined(breaks = [], first, last) {
  const starts = [first, ...breaks.filter((k) => k > first && k <= last)];
  return starts.map((start, n) => [start, (starts[n + 1] ?? last + 1) - 1]);
}

function drawSeries(context, { first, last, toX, toY }, spec, { values, colour, dash = [] }) {
  context.lineWidth = dash.length ? 1.2 : 1.6;
  context.lineJoin = "round";
  context.setLineDash(dash);
  context.strokeStyle = context.fillStyle = styleValue(colour);
  const points = joined(spec.breaks, first, last).flatMap(([from, to]) => [...outline(spec.x, values, from, to, toX), null]);
  context.beginPath();
  let pen = false;
  for (const point of points) {
    if (point === null || (spec.log && !(point[1] > 0))) { pen = false; continue; }
    const [x, y] = [point[0], Math.max(-1e4, Math.min(1e4, toY(point[1])))];
    if (pen) context.lineTo(x, y); else context.moveTo(x, y);
    pen = true;
  }
  if (!spec.scattered) context.stroke();
  if (spec.points) for (const point of points) if (point) disc(context, point[0], toY(point[1]), 3);
}
