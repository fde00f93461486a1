// The page of one study: charts, the machine in motion, and the player joined by one time axis.

import { makeCard, seriesColour, unpackQuantities } from "./cards.js";
import { createButton, createLegend } from "./controls.js";
import { element } from "./dom.js";
import { createForceCells, createForceScale } from "./force_scale.js";
import { createMachine, unpackMachine } from "./machine.js";
import { createModeCard } from "./mode_card.js";
import { createPlayer } from "./player.js";
import { unpack } from "./series.js";
import { createAxis, showWindow } from "./state.js";

const part = (id) => document.getElementById(id);
const data = JSON.parse(part("data").textContent);
const [x] = unpack(data.time);
const content = { x, marks: data.singular_times, quantities: unpackQuantities(data.quantities), actuators: data.machine.actuators.map(({ name }) => name) };
const axis = createAxis({ label: "time", unit: "s", low: x[0], high: x[x.length - 1] });

part("beside").append(...data.beside.map((chart) => makeCard(axis, chart, content)));
const machine = unpackMachine(data.machine);
for (const section of data.sections) {
  const charts = element("div", { className: "charts" }, ...section.charts.map((chart) => makeCard(axis, chart, content)));
  const shapes = data.modes && section.charts.some(({ quantity }) => quantity === data.modes.of) ? [createModeCard(data.modes, machine, axis)] : [];
  const zero = section.zero.length ? [element("p", { className: "hint", text: `Zero throughout: ${section.zero.join(", ")}.` })] : [];
  part("charts").append(element("section", { id: section.id }, element("h2", { text: section.title }), charts, ...shapes, ...zero));
}

const view = createMachine(part("scene"), axis, machine);
part("scene-tools").append(
  createButton("−", () => view.zoom(1 / 1.2), { ariaLabel: "Farther" }),
  createButton("+", () => view.zoom(1.2), { ariaLabel: "Nearer" }),
  createButton("Reset view", view.reset),
);
for (const scale of machine.scales) createForceScale(part("force-scale"), scale);
createForceCells(part("force-cells"), axis, machine);

const legend = createLegend(axis, machine.actuators.map(({ short }, k) => ({ label: short, colour: seriesColour(k) })));
const unzoom = createButton("Whole time", () => showWindow(axis, ...axis.full), { className: "plain", disabled: true, title: "Or double-click a chart" });
axis.listen((names) => { if (names.has("window")) unzoom.disabled = axis.window === axis.full; });
createPlayer(part("player"), axis, data.singular_times, [
  element("span", { className: "legs-shown" }, `${machine.word}s `, legend), unzoom, ...(data.workbench ? [linkToWorkbench(data.workbench)] : []),
]);

/** A link to the page in which the machine is moved by hand, at the time that is looked at. */
function linkToWorkbench(file) {
  const link = element("a", { className: "plain", target: "_blank", rel: "noopener", text: "Open in the workbench", title: "The machine at this time, to be moved by hand" });
  const follow = () => { link.href = `${file}#time=${axis.cursor ?? axis.full[0]}`; };
  axis.listen((names) => { if (names.has("cursor")) follow(); });
  follow();
  return link;
}

for (const jump of document.querySelectorAll("[data-time]")) {
  jump.addEventListener("click", () => axis.set({ cursor: Number(jump.dataset.time), pointed: null }));
}
