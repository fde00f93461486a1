// A chart in words: for those who cannot see it, and for the notes below it.

import { valueText } from "./numbers.js";
import { extent } from "./series.js";

/** What a chart shows: its title and units, and the range of each of its lines. */
export function chartWords(axis, spec, series) {
  const over = axis.unit ? `${axis.label} [${axis.unit}]` : axis.label;
  const ranges = series.map(({ label, values, resolution }) => {
    const found = extent([values], 0, values.length - 1);
    if (found === null) return `${label}: no values`;
    const [low, high] = found.map((value) => valueText(value, 3, resolution));
    return low === high ? `${label}: ${low}` : `${label}: ${low} to ${high}`;
  });
  return `${spec.title} [${spec.unit}] over ${over}. ${ranges.join("; ")}.`;
}

/** The place of a point along the axis, as it is called. */
export function placeWords(axis, spec, k) {
  return axis.names ? axis.names[k] : `${valueText(spec.x[k], 5)} ${axis.unit}`.trim();
}

/** The values of all lines at one place. */
export function valueWords(axis, spec, series, k) {
  const values = series.map(({ label, values, resolution }) => `${label} ${valueText(values[k], 4, resolution)}`);
  return `${placeWords(axis, spec, k)}: ${values.join(", ")}`;
}

/** What a reader has to know to understand the picture; empty if it explains itself. */
export function chartNotes(spec, series, range) {
  const gaps = series.some(({ values }) => values.some(Number.isFinite) && !values.every(Number.isFinite));
  return [
    range.cut && "The axis is cut: some values grow far beyond it.",
    gaps && "Gaps: there are no numbers there.",
    spec.bands.length > 0 && "Shaded: a command is at its limit.",
  ].filter(Boolean).join(" ");
}
