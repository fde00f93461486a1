// The page of an identification: for each recording charts with a line for each actuator.

import { makeCard, seriesColour, unpackQuantities } from "./cards.js";
import { createLegend } from "./controls.js";
import { unpack } from "./series.js";
import { createAxis } from "./state.js";

const part = (id) => document.getElementById(id);
const data = JSON.parse(part("data").textContent);
const actuators = data.actuators;
const lines = actuators.map((label, k) => ({ label, colour: seriesColour(k) }));

for (const { place, time, charts, quantities } of data.sections) {
  const [x] = unpack(time);
  const axis = createAxis({ label: "time", unit: "s", low: x[0], high: x[x.length - 1] });
  const content = { x, marks: [], quantities: unpackQuantities(quantities), actuators };
  part(`${place}-explorer`).append(createLegend(axis, lines));
  part(`${place}-charts`).append(...charts.map((chart) => makeCard(axis, chart, content)));
}
