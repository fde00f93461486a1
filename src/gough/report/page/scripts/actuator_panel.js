// Where the actuators are, and what they have to do; one that is moved takes the platform along.

import { element } from "./dom.js";
import { valueText } from "./numbers.js";
import { isBeyond } from "./overload.js";
import { createPanel, numberRow, replaced } from "./panel.js";

const ROUNDING = 1e-12; // of the largest force: what is smaller is nothing
const BESIDE_HOME = { m: 0.25, rad: Math.PI / 2 }; // of an actuator without ends, in lengths at home

export function createActuatorPanel(bench) {
  return createPanel("Actuators", ...bench.data.actuators.map((actuator, k) => actuatorRow(bench, actuator, k)));
}

function actuatorRow(bench, actuator, k) {
  const free = withoutEnds(bench.now.q[k], actuator.unit), ends = () => actuator.travel ?? free;
  const row = numberRow(bench, {
    label: actuator.short, title: `position of ${actuator.name}`,
    get low() { return ends()[0]; },
    get high() { return ends()[1]; },
    read: () => bench.now.q[k],
    write: (value, passing) => {
      const pose = bench.machine.from(replaced(bench.now.q, k, value), bench.history.now.pose);
      bench.change(pose ? { pose } : {}, passing);
    },
    unit: () => bench.units[actuator.unit],
  });
  const force = element("output", { className: "force", title: `force of ${actuator.name}` });
  bench.listen(({ force: all }) => {
    const rounding = ROUNDING * Math.max(...all.map(Math.abs));
    force.textContent = Number.isFinite(all[k]) ? `${valueText(Math.abs(all[k]) > rounding ? all[k] : 0, 4)} ${actuator.force_unit}` : "singular";
    force.classList.toggle("alert", isBeyond(all[k], actuator.max_force));
  });
  return element("div", { className: "actuator" }, row, force);
}

function withoutEnds(position, unit) {
  const reach = unit === "m" ? BESIDE_HOME.m * Math.abs(position) || BESIDE_HOME.m : BESIDE_HOME.rad;
  return [position - reach, position + reach];
}
