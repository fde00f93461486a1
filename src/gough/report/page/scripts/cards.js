// Cards: a chart with its heading, its unit, and its legend or its choice of an actuator.

import { createChart } from "./chart.js";
import { createChooser, createLegend, paperLegend } from "./controls.js";
import { element } from "./dom.js";
import { unpack } from "./series.js";
import { createState } from "./state.js";

/** The name of the k-th series' colour. */
export const seriesColour = (k) => `--series-${k % 8 + 1}`;

function cardHead(title, unit, meaning) {
  const head = element("header", {}, element("h3", {}, title, element("span", { className: "unit", text: ` [${unit}]` })));
  if (meaning) head.title = meaning;
  return head;
}

/** A chart whose series are the actuators; they are shown and hidden for all charts at once. */
function actuatorCard(axis, chart, data) {
  const { unit, meaning, values, resolution } = data.quantities[chart.quantity];
  const series = values.map((row, k) => ({ label: data.actuators[k], colour: seriesColour(k), values: row, resolution: resolution[k] }));
  const card = chartCard(axis, { ...chart, unit, meaning, series, legend: axis }, data);
  card.querySelector("header").append(paperLegend(axis, series));
  return card;
}

/** A chart whose series have names of their own, and a legend of its own. */
function namedCard(axis, chart, data) {
  const { unit, meaning, values, resolution } = data.quantities[chart.quantity];
  const shown = chart.log ? values.map((row) => row.map((exponent) => 10 ** exponent)) : values;
  const series = shown.map((row, k) => ({ label: chart.labels[k], colour: seriesColour(k), values: row, resolution: chart.log ? 0 : resolution[k] }));
  const wanted = chart.wanted ? data.quantities[chart.wanted] : { values: [] };
  series.push(...wanted.values.map((row, k) => ({
    label: `${chart.labels[k]} ${chart.over}`, colour: seriesColour(k), dash: [6, 4], values: row, resolution: wanted.resolution[k],
  })));
  const legend = createState({ hidden: new Set() });
  const card = chartCard(axis, { ...chart, unit, meaning, series, legend }, data);
  if (series.length > 1) card.querySelector("header").append(createLegend(legend, series));
  return card;
}

/** A chart of what the force of one actuator is made of; buttons choose it. */
function partsCard(axis, chart, data) {
  const all = chart.parts.map(({ quantity }) => data.quantities[quantity]);
  const of = ({ values, resolution }, actuator) => ({ values: values[actuator], resolution: resolution[actuator] });
  const legend = createState({ hidden: new Set() });
  const spec = {
    ...chart, unit: all[0].unit, legend,
    series: chart.parts.map(({ label, total }, k) => ({ label, colour: total ? "--text" : seriesColour(k), ...of(all[k], 0) })),
  };
  const card = chartCard(axis, spec, data);
  const chooser = createChooser(data.actuators, (actuator) => {
    spec.series.forEach((series, k) => Object.assign(series, of(all[k], actuator)));
    legend.set({ hidden: legend.hidden });
  });
  card.querySelector("header").append(chooser, createLegend(legend, spec.series));
  return card;
}

function chartCard(axis, chart, data) {
  const card = element("article", { className: "card chart-card" }, cardHead(chart.title, chart.unit, chart.meaning));
  const spec = { limits: [], bands: [], log: false, mayCut: false, points: false, x: data.x, marks: data.marks, ...chart };
  if (data.files) card.querySelector("header").append(data.files(axis, spec));
  createChart(card, axis, spec);
  return card;
}

const CARDS = { legs: actuatorCard, named: namedCard, parts: partsCard };

/**
 * The card for a chart of the file.
 * @param {{x: Float64Array, marks: number[], quantities: object, actuators: string[], files?: Function}} data what all
 *   charts draw from, and what stands in the head of each, made of its axis and its spec
 */
export function makeCard(axis, chart, data) {
  return CARDS[chart.kind](axis, chart, data);
}

/** Quantities of the file with their numbers unpacked. */
export function unpackQuantities(quantities) {
  return Object.fromEntries(Object.entries(quantities).map(([name, quantity]) =>
    [name, { ...quantity, values: unpack(quantity.packed), resolution: quantity.packed.step }]));
}
