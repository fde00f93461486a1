// The colour bars of forces, and the force of each actuator at the time looked at.

import { cssColour, forceColour } from "./colours.js";
import { element } from "./dom.js";
import { onNewLook, themeName } from "./look.js";
import { actuatorColour, forceText, machineAt } from "./machine.js";
import { valueText } from "./numbers.js";

/** A bar from -limit to +limit with its colours, and ticks with the unit. */
export function createForceScale(host, { unit, limit, title, ends }) {
  const bar = element("div", { className: "scale-bar" });
  const ticks = element("div", { className: "scale-ticks" },
    ...[-limit, -limit / 2, 0, limit / 2, limit].map((force) => element("span", { text: valueText(force, 3) })));
  const words = element("div", { className: "scale-words" },
    element("span", { text: ends[0] }), element("b", { text: `${title} [${unit}]` }), element("span", { text: ends[1] }));
  host.append(words, bar, ticks);
  const paint = () => {
    const theme = themeName();
    const stops = Array.from({ length: 25 }, (_, k) => cssColour(forceColour((k / 12 - 1) * limit, limit, theme)));
    bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  };
  onNewLook(paint);
  paint();
}

/** Cells with the force of each actuator, which follow the axis' cursor; paper says in words where it is. */
export function createForceCells(host, axis, machine, whereIs = (time) => `at ${valueText(time, 4)} ${axis.unit}`) {
  host.style.setProperty("--cells", machine.actuators.length);
  const cells = machine.actuators.map(({ name }) => {
    const value = element("b"), swatch = element("i");
    host.append(element("div", { className: "force-cell" }, element("span", { text: name }), value, swatch));
    return { value, swatch };
  });
  const where = element("div", { className: "force-time for-paper" });
  host.append(where);
  const show = () => {
    const theme = themeName();
    const time = axis.cursor ?? axis.full[0];
    const { force } = machineAt(machine, time);
    where.textContent = `The machine and its forces ${whereIs(time)}`;
    cells.forEach(({ value, swatch }, k) => {
      const colour = actuatorColour(machine, k, force, theme);
      value.textContent = forceText(machine, k, force);
      value.classList.toggle("alert", !colour);
      swatch.style.background = colour ? cssColour(colour) : "transparent";
    });
  };
  axis.listen((names) => { if (names.has("cursor")) show(); });
  onNewLook(show);
  show();
}
