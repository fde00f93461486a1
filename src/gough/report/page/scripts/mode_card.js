// The card of a report on which the machine vibrates, at the time where it does so lowest.

import { createButton } from "./controls.js";
import { element } from "./dom.js";
import { fixedParts, forceColours, machineAt, sceneOf, unpackFilm } from "./machine.js";
import { createModeShapes } from "./mode_shapes.js";
import { createView } from "./view.js";

const WORDS = "The machine, swinging in the chosen mode; drag or use the arrow keys to turn it";

/**
 * @param {{time: number, coordinates: object[], modes: object[], units: object}} found each mode with a `film` of the machine,
 *   displaced by its shape times factors; units as those of units.js
 */
export function createModeCard({ time, coordinates, modes, units }, machine, axis) {
  const still = machineAt(machine, time), fixed = fixedParts(machine), painted = forceColours(machine, still.force);
  const films = new Map(modes.map((mode) => [mode, { ...machine, ...unpackFilm(mode.film), force: [] }]));
  const stateAt = (mode, factor) => machineAt(films.get(mode), factor);
  const shapes = createModeShapes({ drawing: () => machine, coordinates, stateAt, redraw: () => view.refresh(), units });
  const host = element("div", { className: "mode-scene" });
  const view = createView(host, machine.bounds, () => {
    const swing = shapes.seen();
    const { things, labels } = sceneOf(machine, fixed, swing?.state ?? still, painted);
    return { things: [...things, ...(swing?.things ?? [])], labels };
  });
  view.canvas?.setAttribute("aria-label", WORDS);
  shapes.show(modes);
  const jump = createButton(`${Number(time.toPrecision(4))} s`, () => axis.set({ cursor: time, pointed: null }), { className: "time" });
  return element("article", { className: "card mode-card" },
    element("header", {}, element("h3", {}, "Mode shapes at ", jump, ", where the first natural frequency is lowest")),
    element("div", { className: "mode-stage" }, host, shapes.element));
}
