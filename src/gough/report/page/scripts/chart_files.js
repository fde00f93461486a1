// A chart as a table of numbers, and as a picture with its title and its legend.

import { seriesColour } from "./cards.js";
import { styleValue } from "./dom.js";
import { onGround } from "./saving.js";

const TITLE = 26, ROW = 18, MARGIN = 12; // heights of the title and of a row of the legend, room beside them [pixels]
const FONT = 'system-ui, -apple-system, "Segoe UI", sans-serif';

/** Time and all series of a chart, as CSV; every number as it was computed, none where it is missing. */
export function tableText({ x, unit, labels, values }) {
  const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = ["time [s]", ...labels.map((label) => `${label} [${unit}]`)].map(cell);
  const row = (time, k) => [time, ...values.map((one) => (Number.isFinite(one[k]) ? one[k] : ""))].join(",");
  return `${[head.join(","), ...Array.from(x, row)].join("\r\n")}\r\n`;
}

/** The drawn chart with its title, unit and legend above it. */
export function chartPicture(canvas, { title, unit, labels }) {
  const entries = legendPlaces(canvas, labels);
  const { copy, context } = onGround(canvas, TITLE + ROW * (entries.at(-1).row + 1));
  context.fillStyle = styleValue("--text");
  context.textBaseline = "middle";
  context.font = `600 14px ${FONT}`;
  context.fillText(`${title} [${unit}]`, MARGIN, TITLE / 2);
  context.font = `12px ${FONT}`;
  entries.forEach(({ left, row }, k) => {
    const middle = TITLE + ROW * (row + 0.5);
    context.fillStyle = styleValue(seriesColour(k));
    context.fillRect(left, middle - 5, 10, 10);
    context.fillStyle = styleValue("--text");
    context.fillText(labels[k], left + 14, middle);
  });
  return copy;
}

/** Where the entries of a legend stand, in as many rows as they need. */
function legendPlaces(canvas, labels) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `12px ${FONT}`;
  let left = MARGIN, row = 0;
  return labels.map((label) => {
    const width = context.measureText(label).width + 26;
    if (left > MARGIN && left + width > canvas.clientWidth) [left, row] = [MARGIN, row + 1];
    left += width;
    return { left: left - width, row };
  });
}
