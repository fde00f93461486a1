// The page of a study with variations: charts of a chosen figure along each of them.

import { seriesColour } from "./cards.js";
import { createChart } from "./chart.js";
import { createButton, createLegend, createSelect } from "./controls.js";
import { element } from "./dom.js";
import { drawHeatMap } from "./heat_map.js";
import { unpack } from "./series.js";
import { placesOf, sliceAlong, strides } from "./slices.js";
import { makeSortable } from "./sorting.js";
import { createAxis, createState } from "./state.js";

const part = (id) => document.getElementById(id);
const data = JSON.parse(part("data").textContent);
const shape = data.variations.map(({ values }) => values.length);
const figures = data.figures.map((figure) => ({
  ...figure,
  values: unpack(figure.packed)[0],
  perLeg: figure.per_leg ? unpack(figure.per_leg) : [],
  resolution: [...figure.packed.step, ...figure.per_leg?.step ?? []],
}));
const places = placesOf(data.start, shape);
const legend = createState({ hidden: new Set() });
const WHOLE = { label: "whole machine", colour: "--text" };
const legCount = Math.max(0, ...figures.map(({ perLeg }) => perLeg.length));
const LEGS = Array.from({ length: legCount }, (_, k) => ({ label: "", colour: seriesColour(k) }));
let figure = figures[0];
let onlyFeasible = false;
const shown = (point) => !onlyFeasible || data.feasible[point] > 0;

const selects = data.variations.map(({ name, unit, values }, k) => {
  const select = createSelect(values.map((value, n) => ({ value: n, text: `${value} ${unit}` })), (n) => { places[k] = Number(n); refresh(); });
  return { label: element("label", {}, `${name} `, select), select };
});

const charts = data.variations.map(({ name, unit, values, numeric }, k) => {
  const order = values.map((_, n) => n);
  if (numeric) order.sort((a, b) => values[a] - values[b]);
  const x = Float64Array.from(order, (n, place) => (numeric ? values[n] : place));
  const room = numeric && x.length > 1 ? 0.04 * (x[x.length - 1] - x[0]) : 0.5;
  const axis = Object.assign(createAxis({ label: name, unit, low: x[0] - room, high: x[x.length - 1] + room }),
    { snaps: true, names: numeric ? null : order.map((n) => String(values[n])) });
  const series = [WHOLE, ...LEGS].map((entry) => ({ ...entry, values: new Float64Array(x.length).fill(NaN) }));
  const spec = { title: "", unit: "", x, series, limits: [], bands: [], log: false, marks: [], mayCut: false, points: true, bars: !numeric, legend };
  const heading = element("h3");
  const card = element("article", { className: "card chart-card" }, element("header", {}, heading));
  createChart(card, axis, spec);
  part("charts").append(card);
  return { order, axis, spec, series, heading, variation: k };
});

function refresh() {
  for (const { order, axis, spec, series, heading, variation } of charts) {
    const along = sliceAlong(variation, places, shape);
    const points = order.map((n) => along[n]);
    heading.replaceChildren(`${figure.title} `, element("span", { className: "unit", text: `[${figure.unit}]` }),
      element("span", { className: "unit", text: ` over ${axis.label}${axis.unit ? ` [${axis.unit}]` : ""}` }));
    const shownSeries = series.slice(0, 1 + figure.perLeg.length);
    Object.assign(spec, { title: figure.title, unit: figure.unit, series: shownSeries });
    shownSeries.forEach((line, k) => {
      const source = k === 0 ? figure.values : figure.perLeg[k - 1];
      line.label = k === 0 ? WHOLE.label : figure.labels[k - 1];
      line.values = Float64Array.from(points, (point) => (source && shown(point) ? source[point] : NaN));
      line.resolution = figure.resolution[k];
    });
    spec.marks = order.map((_, k) => spec.x[k]).filter((_, k) => data.singular[points[k]] > 0);
    axis.set({ cursor: spec.x[order.indexOf(places[variation])] });
  }
  selects.forEach(({ select }, k) => { select.value = String(places[k]); });
  const chosen = places.reduce((sum, place, k) => sum + place * strides(shape)[k], 0);
  for (const row of document.querySelectorAll("[data-point]")) {
    const point = Number(row.dataset.point);
    row.setAttribute("aria-current", String(point === chosen));
    row.classList.toggle("best", point === figure.best);
    row.hidden = !shown(point);
  }
  drawMap(chosen);
  sayBest();
  part("point").textContent = String(chosen);
  legend.set({ hidden: legend.hidden });
}

function take(point) {
  Object.assign(places, placesOf(point, shape));
  refresh();
}

/** The chosen figure over the first two variations; the others stay at the values chosen. */
function drawMap(chosen) {
  if (!part("heat-map")) return;
  const [down, along] = [0, 1].map((k) => data.variations[k]);
  const steps = strides(shape);
  const rest = chosen - places[0] * steps[0] - places[1] * steps[1];
  const names = ({ name, unit, values }) => values.map((value, n) => (n === 0 ? `${name} ${value} ${unit}`.trim() : String(value)));
  part("heat-title").textContent = `${figure.title}${figure.unit === "–" ? "" : ` [${figure.unit}]`}: ${down.name} downwards, ${along.name} across`;
  drawHeatMap(part("heat-map"), {
    rows: names(down), columns: names(along),
    points: down.values.map((_, i) => along.values.map((__, j) => rest + i * steps[0] + j * steps[1])),
    values: figure.values.map((value, point) => (shown(point) ? value : NaN)),
    feasible: data.feasible, chosen, best: figure.best, choose: take,
  });
}

/** Which of the feasible points is the best, with a way there. */
function sayBest() {
  const count = data.feasible.reduce((sum, one) => sum + one, 0);
  const words = `${count} of ${data.feasible.length} points are feasible: computed, with forces at all times, and within all limits that were checked. `;
  const best = figure.best;
  if (best === null) { part("best").textContent = words; return; }
  const at = placesOf(best, shape).map((place, k) => `${data.variations[k].name} ${data.variations[k].values[place]} ${data.variations[k].unit}`.trim()).join(", ");
  part("best").replaceChildren(`${words}Best of them in ${figure.title.toLowerCase()}: `, createButton(at, () => take(best), { className: "plain" }));
}

const shownLegend = element("span");
function choose(k) {
  figure = figures[k];
  const entries = figure.perLeg.map((_, n) => ({ label: figure.labels[n], colour: seriesColour(n) }));
  shownLegend.replaceChildren(...(entries.length ? [createLegend(legend, [WHOLE, ...entries])] : []));
  refresh();
}

const names = figures.map(({ title, unit }, k) => ({ value: k, text: `${title} [${unit}]` }));
const chooseFigure = createSelect(names, (k) => choose(Number(k)), { id: "figure" });
const labels = selects.map(({ label }) => label);
const filter = element("input", { type: "checkbox", id: "only-feasible" });
filter.addEventListener("change", () => { onlyFeasible = filter.checked; refresh(); });
part("explorer").append(element("label", {}, "Figure ", chooseFigure), ...labels, element("label", {}, filter, "feasible points only"), shownLegend);
document.querySelectorAll("table.all").forEach(makeSortable);
for (const row of document.querySelectorAll("[data-point]")) {
  const choosePoint = () => take(Number(row.dataset.point));
  row.tabIndex = 0;
  row.addEventListener("click", choosePoint);
  row.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choosePoint();
  });
}
choose(0);
