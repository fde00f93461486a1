// A panel of the workbench: a card with a title, and numbers that people set.

import { element } from "./dom.js";
import { createNumber } from "./fields.js";

/** A card with a title. */
export function createPanel(title, ...content) {
  return element("section", { className: "card panel" }, element("h2", { text: title }), ...content);
}

/** The row of a number (see fields.js) that follows every state of the workbench. */
export function numberRow(bench, options) {
  const { row, refresh } = createNumber(options);
  bench.listen(refresh);
  return row;
}

/** The same list with another value at one place. */
export const replaced = (list, place, value) => Array.from(list, (old, k) => (k === place ? value : old));
