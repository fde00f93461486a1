// The page of several simulations: charts with a line for each case, joined by one time axis.

import { makeCard, seriesColour, unpackQuantities } from "./cards.js";
import { createLegend } from "./controls.js";
import { unpack } from "./series.js";
import { createAxis } from "./state.js";

const part = (id) => document.getElementById(id);
const data = JSON.parse(part("data").textContent);
const [x] = unpack(data.time);
const axis = createAxis({ label: "time", unit: "s", low: x[0], high: x[x.length - 1] });
const content = { x, marks: [], quantities: unpackQuantities(data.quantities), actuators: data.cases };

part("explorer").append(createLegend(axis, data.cases.map((label, k) => ({ label, colour: seriesColour(k) }))));
part("charts").append(...data.charts.map((chart) => makeCard(axis, chart, content)));
