// A figure over two variations as a map of coloured cells: dark is much, crossed out is not feasible.

import { element } from "./dom.js";
import { valueText } from "./numbers.js";

/** The least and the greatest of the numbers that are some. */
export function extent(values) {
  const known = values.filter(Number.isFinite);
  return known.length ? [Math.min(...known), Math.max(...known)] : [0, 0];
}

/** How dark a value is, from 0.08 for the least to 0.9 for the greatest. */
export function shade(value, [low, high]) {
  return high > low ? 0.08 + 0.82 * (value - low) / (high - low) : 0.4;
}

/**
 * Draw a map into a host. `points` are the flat numbers of its cells, row by row.
 * @param {{rows: string[], columns: string[], points: number[][], values: ArrayLike<number>,
 *   feasible: number[], chosen: number, best: number | null, choose: (point: number) => void}} map
 */
export function drawHeatMap(host, { rows, columns, points, values, feasible, chosen, best, choose }) {
  const bounds = extent(points.flat().map((point) => values[point]));
  const cell = (point) => {
    const value = values[point];
    const classes = ["heat", feasible[point] ? "" : "infeasible", point === chosen ? "chosen" : "", point === best ? "best" : ""];
    const button = element("button", { type: "button", className: classes.join(" ").replace(/ +/g, " ").trim(), text: Number.isFinite(value) ? valueText(value) : "–" });
    const dark = Number.isFinite(value) ? shade(value, bounds) : 0;
    button.style.setProperty("--shade", `${Math.round(100 * dark)}%`);
    button.classList.toggle("dark", dark > 0.55);
    button.title = [feasible[point] ? "" : "not feasible", point === best ? "best feasible" : ""].filter(Boolean).join(", ");
    button.addEventListener("click", () => choose(point));
    return element("td", {}, button);
  };
  const head = element("tr", {}, element("th", {}), ...columns.map((text) => element("th", { text })));
  const body = rows.map((text, k) => element("tr", {}, element("th", { text }), ...points[k].map(cell)));
  host.replaceChildren(element("table", { className: "heat-map" }, element("thead", {}, head), element("tbody", {}, ...body)));
}
