// Along the way: charts of what the actuators do and how far limits are, and a player of it all.

import { makeCard, seriesColour } from "./cards.js";
import { createButton, createLegend } from "./controls.js";
import { fileButtons } from "./chart_files.js";
import { createPanel } from "./panel.js";
import { createPlayer } from "./player.js";
import { createAxis, showWindow } from "./state.js";
import { motionAlong } from "./way.js";

export function createWayPanel(bench) {
  const { data, history, machine } = bench, player = document.getElementById("player");
  const axis = createAxis({ label: "time", unit: "s", low: 0, high: 1 });
  const charts = chartsOf(data);
  const x = Float64Array.from({ length: data.samples }, (_, k) => k / (data.samples - 1));
  const content = { x, marks: [], quantities: Object.fromEntries(charts.map(({ chart, quantity }) => [chart.quantity, quantity])), actuators: data.actuators.map(({ title }) => title), files: (...of) => fileButtons(...of, data.name) };
  const cards = charts.map(({ chart }) => makeCard(axis, chart, content));
  const legend = createLegend(axis, data.actuators.map(({ short }, k) => ({ label: short, colour: seriesColour(k) })));
  const panel = createPanel("Along the path", legend, ...cards);
  createPlayer(player, axis, [], [createButton("Whole time", () => showWindow(axis, ...axis.full), { className: "plain" })]);
  panel.classList.add("along");

  const goTo = (time) => {
    const { pose } = motionAlong(machine, history.now.way, [time]);
    if (pose.every(Number.isFinite)) bench.change({ pose: Array.from(pose), time }, history.now.time !== null);
  };
  let shown = null, pressed = false;
  axis.listen((names) => {
    if (!names.has("cursor") || !bench.along()) return;
    const wanted = axis.pointed === null || pressed || history.now.time !== null; // passing over a chart moves nothing
    if (wanted && axis.cursor !== history.now.time) goTo(axis.cursor);
  });
  panel.addEventListener("pointerdown", ({ target }) => { pressed = target.matches(".chart-overlay"); });
  panel.addEventListener("keydown", () => { pressed = true; });
  for (const name of ["pointerup", "pointercancel", "keyup"]) panel.addEventListener(name, () => requestAnimationFrame(() => { pressed = false; }));

  bench.listen(() => {
    const { time } = history.now;
    if (time !== null && time !== axis.cursor) axis.set({ cursor: time });
    const found = bench.along();
    panel.hidden = player.hidden = found === null;
    if (found === shown || found === null) return;
    shown = found;
    x.set(found.time);
    for (const { quantity, fill } of charts) fill(quantity.values, found);
    const full = [0, found.time.at(-1)];
    axis.set({ full, window: full, ...(axis.cursor > full[1] ? { cursor: 0, pointed: panel } : {}) }); // moves nothing
  });
  bench.goToTime = goTo;
  return panel;
}

/** Charts as cards.js takes them, each with its numbers and how to fill them. */
function chartsOf({ actuators, limits, samples }) {
  const driven = (title, name, unitOf) => [...new Set(actuators.map(unitOf))].map((unit, _, all) => {
    const quantity = `${name} ${unit}`, mine = actuators.map((actuator) => unitOf(actuator) === unit);
    const most = [...new Set(actuators.filter((_one, k) => mine[k]).map((actuator) => actuator[`max_${name}`] ?? null))].filter((value) => value !== null);
    return {
      chart: { kind: "legs", title: all.length > 1 ? `${title} in ${unit}` : title, quantity, limits: most.flatMap((value) => [{ value, label: `maximum ${name}` }, { value: -value, label: `maximum ${name}` }]) },
      quantity: { unit, meaning: "", values: actuators.map(() => new Float64Array(samples)), resolution: actuators.map(() => 0) },
      fill: (rows, found) => rows.forEach((row, k) => row.forEach((_value, s) => { row[s] = mine[k] ? found[name][s * actuators.length + k] : NaN; })),
    };
  });
  const families = [...new Set(limits.map(({ family }) => family))];
  const margins = {
    chart: { kind: "named", title: "Minimum margins", quantity: "margin", labels: families, limits: [{ value: 0, label: "limit" }] },
    quantity: { unit: "%", meaning: "Distance to limits: 100 % in the middle of a range, 0 at its end", values: families.map(() => new Float64Array(samples)), resolution: families.map(() => 0) },
    fill: (rows, { margin }) => rows.forEach((row, n) => row.forEach((_value, s) => {
      row[s] = 100 * limits.reduce((least, { family }, k) => (family === families[n] ? lesser(least, margin[s * limits.length + k]) : least), Infinity);
    })),
  };
  return [
    ...driven("Force", "force", ({ force_unit: unit }) => unit), ...driven("Speed", "speed", ({ unit }) => `${unit}/s`),
    ...driven("Power", "power", () => "W"), ...(families.length ? [margins] : []),
  ];
}

/** The lesser of two numbers; NaN where one of them is. */
const lesser = (a, b) => (a < b || Number.isNaN(a) ? a : b);
