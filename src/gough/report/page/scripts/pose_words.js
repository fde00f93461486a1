// A pose in few words: what the machine can change of it, as the units and frames are chosen.

import { anglesOf } from "./attitude.js";
import { seenIn } from "./frames.js";
import { valueText } from "./numbers.js";

/** Coordinates of the tool in the work frame, and angles if the machine turns. */
export function poseWords({ data, units, history }, pose) {
  const seen = seenIn(history.now.frames, pose), { m, rad, order } = units;
  const text = (value, unit) => valueText(value * unit.factor, 4, 1e-3 * unit.factor * (unit === m ? 1e-3 : 1e-2));
  const names = data.degrees_of_freedom.map(({ name }) => name);
  const places = ["x", "y", "z"].flatMap((name, k) => (names.includes(name) ? [text(seen[k], m)] : []));
  const turns = data.degrees_of_freedom.some(({ turns: turning }) => turning) ? anglesOf(order, seen.slice(3)).map((angle) => text(angle, rad)) : [];
  return [places.length ? `${places.join("  ")} ${m.unit}` : "", turns.length ? `${turns.join("  ")} ${rad.unit}` : ""].filter(Boolean).join("\n");
}
