// How a machine vibrates: what moves in each of its modes, and what moves most.

import { naturalModes } from "./eigenvalues.js";
import { cross, minus, plus } from "./space.js";

/**
 * @typedef {object} Mode
 * @property {number} frequency [Hz], negative where the machine gives way
 * @property {string} words what moves most, and `share` its part of the kinetic energy
 * @property {number[]} step way [m] and turn [rad] of the platform, base axes
 * @property {number[]} inner ways [m] of pistons and stages along their legs
 */

/**
 * The modes of a machine, lowest first; null where it has none.
 * @param {{M, K, twist_basis}} matrices as the kernel `vibrating` gives them
 * @param {{words: string, leg: number | null}[]} coordinates what each of them moves, and in which leg
 * @param {number[]} arm from the platform's origin to its mass centre, base axes
 */
export function modesOf({ M, K, twist_basis: basis }, coordinates, arm) {
  const found = naturalModes(M, K), freedoms = basis.length / 6;
  return found && found.shapes.map((shape, k) => {
    const n = shape.length, momentum = shape.map((_, i) => shape.reduce((sum, x, j) => sum + M[i * n + j] * x, 0));
    return {
      frequency: found.frequencies[k],
      ...most(coordinates, freedoms === 6 ? sharesAbout(arm, shape, momentum) : shape.map((x, i) => x * momentum[i])),
      step: Array.from({ length: 6 }, (_, i) => shape.slice(0, freedoms).reduce((sum, x, j) => sum + basis[i * freedoms + j] * x, 0)),
      inner: shape.slice(freedoms),
    };
  });
}

/** Shares of the coordinates in the kinetic energy, those of the platform about its mass centre. */
function sharesAbout(arm, shape, momentum) {
  const way = plus(shape.slice(0, 3), cross(shape.slice(3, 6), arm));
  const turning = minus(momentum.slice(3, 6), cross(arm, momentum.slice(0, 3)));
  return shape.map((x, i) => (i < 3 ? way[i] * momentum[i] : x * (i < 6 ? turning[i - 3] : momentum[i])));
}

/** What has most of the energy, by the words of the coordinates. */
function most(coordinates, shares) {
  const sums = new Map();
  coordinates.forEach(({ words }, k) => sums.set(words, (sums.get(words) ?? 0) + shares[k]));
  const [words, share] = [...sums].reduce((best, one) => (one[1] > best[1] ? one : best));
  return { words, share };
}
