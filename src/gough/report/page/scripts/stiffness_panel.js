// Compliance of the machine here: its stiffness, how far the load moves it, and how it vibrates.

import { displaced } from "./attitude.js";
import { element } from "./dom.js";
import { createModeShapes } from "./mode_shapes.js";
import { valueText } from "./numbers.js";
import { createPanel } from "./panel.js";

const SHOWN = 3; // of the natural frequencies

export function createStiffnessPanel(bench) {
  if (!bench.now.deflection) return element("section", { hidden: true });
  const figures = element("dl", { className: "facts-list" });
  bench.listen(({ deflection: { displacement, minimum_stiffness, minimum_rotational_stiffness }, frequencies }) => {
    figures.replaceChildren(...Object.entries({
      "in the most compliant direction": stiffnessText(minimum_stiffness[0], 1e-6, "N/µm"),
      "about the most compliant axis": stiffnessText(minimum_rotational_stiffness[0], 1e-3, "N m/mrad"),
      "translation under the force": `${valueText(1e6 * Math.hypot(...displacement.slice(0, 3)), 3)} µm`,
      "rotation under the force": `${valueText(1e6 * Math.hypot(...displacement.slice(3)), 3)} µrad`,
      ...(frequencies && { "natural frequencies": `${frequencies.slice(0, SHOWN).map((f) => valueText(f, 3)).join(", ")} Hz` }),
    }).flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })]));
  });
  const note = element("p", { className: "note", text: "At rest, with the actuators held; the force is that of the load on the platform." });
  return createPanel("Stiffness", note, figures, ...(bench.data.vibrating ? [createShapes(bench)] : []));
}

/** Mode shapes, in a part that is folded: while it is open, the machine may swing. */
function createShapes(bench) {
  const { machine, history, data } = bench;
  const stateAt = (mode, factor) => machine.drawn(machine.followed(history.now.pose, [displaced(history.now.pose, mode.step.map((x) => factor * x))])[0]);
  const shapes = createModeShapes({ drawing: () => data.drawing, coordinates: data.vibrating, stateAt, redraw: () => bench.redraw(), units: bench.units });
  const folded = element("details", { className: "shapes" }, element("summary", { text: "Mode shapes" }), shapes.element);
  let shown = null; // the state of the history whose modes are listed
  function refresh() {
    if (shown === history.now) {
      shapes.tell();
    } else if (folded.open) {
      shapes.show(bench.now.modes() ?? []);
      shown = history.now;
    }
  }
  folded.addEventListener("toggle", () => {
    if (!folded.open) shapes.stop();
    refresh();
  });
  bench.listen(refresh);
  bench.swing = shapes.seen;
  return folded;
}

function stiffnessText(value, factor, unit) {
  return Number.isFinite(value) ? `${valueText(factor * value, 4)} ${unit}` : "rigid";
}
