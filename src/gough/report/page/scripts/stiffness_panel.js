// How the machine gives way here: its stiffness, how far the load moves it, and how it vibrates.

import { element } from "./dom.js";
import { valueText } from "./numbers.js";
import { createPanel } from "./panel.js";

const SHOWN = 3; // of the natural frequencies

export function createStiffnessPanel(bench) {
  if (!bench.now.yielding) return element("section", { hidden: true });
  const figures = element("dl", { className: "facts-list" });
  bench.listen(({ yielding: { way, turn, displacement }, frequencies }) => {
    figures.replaceChildren(...Object.entries({
      "in the softest direction": stiffnessText(way[0], 1e-6, "N/µm"),
      "about the softest axis": stiffnessText(turn[0], 1e-3, "N m/mrad"),
      "way under the force": `${valueText(1e6 * Math.hypot(...displacement.slice(0, 3)), 3)} µm`,
      "turn under it": `${valueText(1e6 * Math.hypot(...displacement.slice(3)), 3)} µrad`,
      ...(frequencies && { "natural frequencies": `${frequencies.slice(0, SHOWN).map((f) => valueText(f, 3)).join(", ")} Hz` }),
    }).flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })]));
  });
  return createPanel("Stiffness", element("p", { className: "note", text: "At rest, with the actuators held; the force is that of the load on the platform." }), figures);
}

function stiffnessText(value, factor, unit) {
  return Number.isFinite(value) ? `${valueText(factor * value, 4)} ${unit}` : "rigid";
}
