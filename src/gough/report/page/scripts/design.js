// The page of a design: one machine in 3-D, charts along the front, and tables, joined by a choice.

import { seriesColour } from "./cards.js";
import { createChart } from "./chart.js";
import { createButton, createLegend } from "./controls.js";
import { element } from "./dom.js";
import { createForceCells, createForceScale } from "./force_scale.js";
import { createMachine, unpackMachine } from "./machine.js";
import { nearest } from "./series.js";
import { makeSortable } from "./sorting.js";
import { createAxis, createState } from "./state.js";

const ROOM = 0.04; // on either side of a front, as a share of it
const part = (id) => document.getElementById(id);
const data = JSON.parse(part("data").textContent);
const machines = data.machines.map(unpackMachine);
const rows = [...document.querySelectorAll("table.all [data-point]")];
const worth = data.objectives[0]?.values ?? machines.map((_, k) => k);
const order = [...machines.keys()].sort((a, b) => worth[a] - worth[b]); // the machines along the axis
const ascending = (values) => Float64Array.from(order, (k) => values[k]);
const breaks = [...order.keys()].slice(1).filter((n) => data.pieces[order[n]] !== data.pieces[order[n - 1]]);
const along = frontAxis(worth);
let chosen = -1;
let view = null;
let moment = null; // home, or the worst state of a requirement, of the machine that is seen

/** The axis of the first objective, along which machines are met one by one. */
function frontAxis(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = ROOM * (high - low) || 1;
  const { title = "", unit = "" } = data.objectives[0] ?? {};
  return Object.assign(createAxis({ label: title, unit, low: low - room, high: high + room }), { snaps: true, cursor: values[0] });
}

/** A chart of numbers of all machines along the front: where it has two objectives a line for each piece. */
function chartOf(title, unit, columns) {
  const x = ascending(worth);
  const series = columns.map((column, k) => ({ label: column.title, colour: seriesColour(k), values: ascending(column.values) }));
  const legend = createState({ hidden: new Set() });
  const over = `over ${along.label} [${along.unit}]`;
  const heading = element("h3", {}, `${title} `, element("span", { className: "unit", text: `[${unit}] ${over}` }));
  const names = series.length > 1 ? [createLegend(legend, series)] : [];
  const card = element("article", { className: "card chart-card" }, element("header", {}, heading, ...names));
  createChart(card, along, { title, unit, x, series, limits: [], bands: [], log: false, marks: [], mayCut: false, points: true, scattered: data.objectives.length > 2, breaks, legend });
  return card;
}

const alone = (column) => chartOf(column.title, column.unit, [column]);

/** Show a machine, at home at first. */
function choose(k) {
  if (k === chosen) return;
  chosen = k;
  moment = createAxis({ label: "place", unit: "", low: 0, high: data.places.length - 1 });
  for (const id of ["scene", "force-scale", "force-cells"]) part(id).replaceChildren();
  view = createMachine(part("scene"), moment, machines[k]);
  for (const scale of machines[k].scales) createForceScale(part("force-scale"), scale);
  createForceCells(part("force-cells"), moment, machines[k], whereIs);
  for (const shown of document.querySelectorAll("[data-machine]")) shown.hidden = Number(shown.dataset.machine) !== k;
  for (const row of rows) row.setAttribute("aria-current", String(Number(row.dataset.point) === k));
  goTo(0);
}

/** Show the machine of a row, with the cursor of the charts at it: others may be at the same place. */
function chooseRow(k) {
  along.set({ cursor: worth[k] });
  choose(k);
}

/** A place that the machine can be put to, in words. */
function whereIs(place) {
  return place === 0 ? "at home" : `where its ${data.places[place]} is worst`;
}

/** Put the machine where a requirement is worst, or home. */
function goTo(place) {
  moment.set({ cursor: place });
  part("machine-name").textContent = `The machine ${whereIs(place)}`;
}

/** Have a row chosen by a click, or by the keyboard. */
function whenChosen(row, take) {
  row.tabIndex = 0;
  row.addEventListener("click", take);
  row.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    take();
  });
}

part("scene-tools").append(
  createButton("Home", () => goTo(0)),
  createButton("−", () => view.zoom(1 / 1.2), { ariaLabel: "Farther" }),
  createButton("+", () => view.zoom(1.2), { ariaLabel: "Nearer" }),
  createButton("Reset view", () => view.reset()),
);
if (part("front")) {
  part("front").append(...data.objectives.slice(1).map(alone));
  part("along").append(...data.variables.map(alone), chartOf("Slack of requirements", "1", data.slack));
  along.listen((names) => { if (names.has("cursor") && along.cursor !== worth[chosen]) choose(order[nearest(ascending(worth), along.cursor)]); });
}
for (const row of rows) whenChosen(row, () => chooseRow(Number(row.dataset.point)));
for (const row of document.querySelectorAll("[data-machine] [data-point]")) whenChosen(row, () => goTo(Number(row.dataset.point)));
document.querySelectorAll("table.all").forEach(makeSortable);
choose(0);
