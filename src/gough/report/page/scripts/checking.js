// Checks of what comes from outside: links, files. What is not as it must be is an Error that says so.

import { unitQuaternion } from "./attitude.js";

const LARGEST = 1e9;
const shown = (value) => String(JSON.stringify(value) ?? value).slice(0, 40);

/** A table; with a list of names, only these may be in it. */
export function checkedTable(value, what, names = null) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Error(`${what}: expected a table, not ${shown(value)}`);
  const other = names && Object.keys(value).find((name) => !names.includes(name));
  if (other) throw new Error(`${what}: ${shown(other)} is not understood here; known: ${names.join(", ")}`);
  return value;
}

/** A list of at most so many items. */
export function checkedList(value, what, most) {
  if (!Array.isArray(value) || value.length > most) throw new Error(`${what}: expected a list of at most ${most}, not ${shown(value)}`);
  return value;
}

/** A number between two others. */
export function checkedNumber(value, what, low = -LARGEST, high = LARGEST) {
  if (typeof value !== "number" || !(value >= low && value <= high)) throw new Error(`${what}: expected a number from ${low} to ${high}, not ${shown(value)}`);
  return value;
}

/** A list of so many numbers. */
export function checkedNumbers(value, what, count) {
  if (!Array.isArray(value) || value.length !== count) throw new Error(`${what}: expected ${count} numbers, not ${shown(value)}`);
  return value.map((one) => checkedNumber(one, what));
}

/** A pose x y z qw qx qy qz, its quaternion made one of length one. */
export function checkedPose(value, what) {
  const pose = checkedNumbers(value, what, 7), size = Math.hypot(...pose.slice(3));
  if (!(size > 1e-9)) throw new Error(`${what}: the quaternion is zero`);
  return Math.abs(size - 1) < 1e-12 ? pose : [...pose.slice(0, 3), ...unitQuaternion(pose.slice(3))];
}

/** One of some texts. */
export function checkedChoice(value, what, choices) {
  if (!choices.includes(value)) throw new Error(`${what}: expected one of ${choices.join(", ")}, not ${shown(value)}`);
  return value;
}
