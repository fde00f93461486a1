// A chart as a table of numbers, and as a picture with its title and its legend.

import { seriesColour } from "./cards.js";
import { styleValue } from "./dom.js";
import { onGround } from "./saving.js";

const HEAD = 44; // room for title and legend [pixels]
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
  const { copy, context } = onGround(canvas, HEAD);
  context.fillStyle = styleValue("--text");
  context.textBaseline = "middle";
  context.font = `600 14px ${FONT}`;
  context.fillText(`${title} [${unit}]`, 12, 13);
  context.font = `12px ${FONT}`;
  let left = 12;
  labels.forEach((label, k) => {
    context.fillStyle = styleValue(seriesColour(k));
    context.fillRect(left, 28, 10, 10);
    context.fillStyle = styleValue("--text");
    context.fillText(label, left + 14, 33);
    left += context.measureText(label).width + 26;
  });
  return copy;
}
