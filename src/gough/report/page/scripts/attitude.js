// Attitudes as quaternions w x y z, and as three angles in the order that people choose.

import { cross, dot, minus, plus, times } from "./space.js";

const AXES = { X: [1, 0, 0], Y: [0, 1, 0], Z: [0, 0, 1] };

/** The turn by q, then by p. */
export function product([a, ...u], [b, ...v]) {
  return [a * b - dot(u, v), ...plus(plus(times(v, a), times(u, b)), cross(u, v))];
}

/** The turn back. */
export const conjugate = ([w, x, y, z]) => [w, -x, -y, -z];

/** The turn by |θ| about θ [rad]. */
function ofRotationVector(theta) {
  const angle = Math.hypot(...theta);
  const share = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), ...times(theta, share)];
}

/** Axis times angle [rad], at most half a turn. */
export function rotationVector([w, ...v]) {
  const sine = Math.hypot(...v);
  const share = sine > 0 ? 2 * Math.atan2(sine, Math.abs(w)) / sine : 2;
  return times(v, w < 0 ? -share : share);
}

/** A pose displaced by a way [m] and a turn [rad] about its own place, base axes. */
export function displaced(pose, step) {
  const turn = ofRotationVector(step.slice(3));
  return [...plus(pose.slice(0, 3), step.slice(0, 3)), ...unitQuaternion(product(turn, pose.slice(3)))];
}

/** The way [m] and the turn [rad] from one pose to another, base axes: see `displaced`. */
export function stepBetween(from, to) {
  return [...minus(to.slice(0, 3), from.slice(0, 3)), ...rotationVector(product(to.slice(3), conjugate(from.slice(3))))];
}

/** The pose in the base of what has the pose b in the frame of a. */
export function composed(a, b) {
  const turn = a.slice(3);
  return [...plus(a.slice(0, 3), rotated(turn, b.slice(0, 3))), ...unitQuaternion(product(turn, b.slice(3)))];
}

/** The pose that undoes another. */
export function inverted(pose) {
  const back = conjugate(pose.slice(3));
  return [...times(rotated(back, pose.slice(0, 3)), -1), ...back];
}

export function unitQuaternion(q) {
  const size = Math.hypot(...q);
  return q.map((x) => x / size);
}

/** Three angles [rad] about turning axes (upper case letters), or fixed ones (lower case). */
export function ofAngles(order, angles) {
  const turns = [...order.toUpperCase()].map((letter, k) => ofRotationVector(times(AXES[letter], angles[k])));
  const [a, b, c] = order === order.toUpperCase() ? turns : turns.reverse();
  return product(product(a, b), c);
}

/** The angles [rad] of an order of three different axes; the last is zero where two axes meet. */
export function anglesOf(order, q) {
  const fixed = order !== order.toUpperCase();
  const letters = [...order.toUpperCase()];
  const [i, j, k] = (fixed ? letters.reverse() : letters).map((letter) => "XYZ".indexOf(letter));
  const sign = (j - i + 3) % 3 === 1 ? 1 : -1;
  const columns = Object.values(AXES).map((axis) => rotated(q, axis));
  const R = (row, column) => columns[column][row];
  const middle = Math.asin(Math.max(-1, Math.min(1, sign * R(i, k))));
  const flat = Math.hypot(R(i, i), R(i, j)) < 1e-12;
  const first = flat ? Math.atan2(sign * R(k, j), R(j, j)) : Math.atan2(-sign * R(j, k), R(k, k));
  const last = flat ? 0 : Math.atan2(-sign * R(i, j), R(i, i));
  return fixed ? [last, middle, first] : [first, middle, last];
}

/** A vector turned by a quaternion. */
export function rotated([w, ...axis], vector) {
  const twice = times(cross(axis, vector), 2);
  return plus(plus(vector, times(twice, w)), cross(axis, twice));
}
