// What asks more of actuators and their motors than these have, in words.

import { valueText } from "./numbers.js";

const UNITS = { force: ({ force_unit: unit }) => unit, speed: ({ unit }) => `${unit}/s`, current: () => "A" };

/** What is against a state of the machine, apart from its limits of reach. */
export function overloads(data, state) {
  return ["force", "current"].filter((name) => state[name]).flatMap((name) => tooMuch(data, name, Array.from(state[name])));
}

/** Forces, speeds or currents beyond those that their actuators have; `when` says at which time. */
export function tooMuch({ actuators }, name, values, when = () => "") {
  return actuators.flatMap((actuator, n) => {
    const most = actuator[`max_${name}`], unit = UNITS[name](actuator);
    const word = name === "force" && unit !== "N" ? "torque" : name;
    if (name === "force" && !Number.isFinite(values[n])) return [`${actuator.name}: no finite ${word}${when(n)}, the machine is singular.`];
    if (!isBeyond(values[n], most)) return [];
    return [`${actuator.name}: ${valueText(Math.abs(values[n]), 4)} ${unit}${when(n)}, more than its maximum ${word} of ${stated(most)} ${unit}.`];
  });
}

/** A number as files state it, in few digits. */
export const stated = (value) => String(Number(value.toPrecision(6)));

/** Whether a value is larger than the largest one, if that is stated. */
export const isBeyond = (value, most) => most !== null && Math.abs(value) > most;
