// A chart as files: a table of its numbers, and pictures with title, legend, axes and units.

import { chartPlace, drawAxes, drawInside } from "./chart_drawing.js";
import { createButton } from "./controls.js";
import { element, styleValue } from "./dom.js";
import { asOnPaper } from "./look.js";
import { saveFile, savePicture } from "./saving.js";
import { createSvgContext } from "./svg_context.js";

const WIDTH = 800, HEIGHT = 420; // of a picture [pixels]
const SHARP = 3; // pixels of a PNG for each of these
const TITLE = 30, ROW = 18, MARGIN = 14, LABEL = 20; // heights of title, row of the legend, room beside, label of an axis
const FAMILY = 'system-ui, -apple-system, "Segoe UI", sans-serif';

/**
 * Buttons that give a chart as files.
 * @param axis see state.js; the pictures show the part of it that is in view
 * @param {import("./chart.js").Spec} spec
 * @param {string} machine its name, for those of the files
 */
export function fileButtons(axis, spec, machine) {
  const name = `${machine} ${spec.title.toLowerCase()}`;
  const button = (text, press) => createButton(text, press, { ariaLabel: `${spec.title} as ${text}` });
  return element("span", { className: "files" },
    button("CSV", () => saveFile(`${name}.csv`, tableText(spec), "text/csv")),
    button("PNG", () => savePicture(`${name}.png`, chartCanvas(axis, spec))),
    button("SVG", () => saveFile(`${name}.svg`, chartSvg(axis, spec), "image/svg+xml")));
}

/** Time and all series of a chart, as CSV; every number as it was computed, none where it is missing. */
function tableText({ x, unit, series }) {
  const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = ["time [s]", ...series.map(({ label }) => `${label} [${unit}]`)].map(cell);
  const row = (time, k) => [time, ...series.map(({ values }) => (Number.isFinite(values[k]) ? values[k] : ""))].join(",");
  return `${[head.join(","), ...Array.from(x, row)].join("\r\n")}\r\n`;
}

function chartCanvas(axis, spec) {
  const canvas = element("canvas", { width: WIDTH * SHARP, height: HEIGHT * SHARP }), context = canvas.getContext("2d");
  context.scale(SHARP, SHARP);
  asOnPaper(() => drawChart(context, axis, spec));
  return canvas;
}

function chartSvg(axis, spec) {
  const context = createSvgContext(WIDTH, HEIGHT);
  asOnPaper(() => drawChart(context, axis, spec));
  return context.svgText();
}

/** The part of a chart that is in view, with everything that explains it. */
function drawChart(context, axis, spec) {
  const series = spec.series.filter(({ values }, k) => !spec.legend.hidden.has(k) && values.some(Number.isFinite));
  context.fillStyle = styleValue("--card");
  context.fillRect(0, 0, WIDTH, HEIGHT);
  const top = drawHead(context, spec, series), bottom = HEIGHT - LABEL;
  context.fillStyle = styleValue("--text");
  context.textAlign = "center";
  context.font = `12px ${FAMILY}`;
  context.fillText(`${axis.label} [${axis.unit}]`, WIDTH / 2, bottom + LABEL / 2 - 2);
  context.save();
  context.translate(MARGIN, (top + bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(`${spec.title} [${spec.unit}]`, 0, 0);
  context.restore();
  context.save();
  context.translate(LABEL, top);
  const place = chartPlace(axis, spec, series, WIDTH - LABEL, bottom - top);
  drawAxes(context, place, { ...axis, unit: "" }, spec);
  drawInside(context, place, spec, series);
  context.restore();
}

/** Title and legend; how high they are. */
function drawHead(context, { title }, series) {
  context.fillStyle = styleValue("--text");
  context.textBaseline = "middle";
  context.font = `600 14px ${FAMILY}`;
  context.fillText(title, MARGIN, TITLE / 2);
  context.font = `12px ${FAMILY}`;
  let left = MARGIN, middle = TITLE + ROW / 2;
  for (const { label, colour } of series) {
    const width = context.measureText(label).width + 26;
    if (left > MARGIN && left + width > WIDTH) [left, middle] = [MARGIN, middle + ROW];
    context.fillStyle = styleValue(colour);
    context.fillRect(left, middle - 5, 10, 10);
    context.fillStyle = styleValue("--text");
    context.fillText(label, left + 14, middle);
    left += width;
  }
  return middle + ROW / 2;
}
