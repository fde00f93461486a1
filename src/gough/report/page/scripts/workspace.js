// Workspaces: how far the tool goes from a pose in all directions, with one attitude or at one place.

import { composed, displaced, inverted } from "./attitude.js";
import { firstExits } from "./rays.js";
import { farthest } from "./travel.js";

const POLAR = 40; // steps of a surface's grid from pole to pole; twice as many around
const AROUND = 240; // rays of a slice
const TOGETHER = 40; // rays between two words on progress

/**
 * The rays of a space: those of the surface's grid (none in a plane), then those of slices, each
 * across one of its freedoms (one in a plane).
 * @returns {{grid: number[][], slices: number[][][]}} directions in the space's freedoms
 */
export function raysOf({ degrees_of_freedom: freedoms }) {
  const circle = (u, v) => Array.from({ length: AROUND }, (_, k) => {
    const angle = 2 * Math.PI * k / AROUND, direction = freedoms.map(() => 0);
    direction[u] = Math.cos(angle);
    direction[v] = Math.sin(angle);
    return direction;
  });
  if (freedoms.length === 2) return { grid: [], slices: [circle(0, 1)] };
  const grid = Array.from({ length: (POLAR + 1) * 2 * POLAR }, (_, n) => {
    const polar = Math.PI * Math.floor(n / (2 * POLAR)) / POLAR, around = Math.PI * (n % (2 * POLAR)) / POLAR;
    return [Math.sin(polar) * Math.cos(around), Math.sin(polar) * Math.sin(around), Math.cos(polar)];
  });
  return { grid, slices: [circle(1, 2), circle(2, 0), circle(0, 1)] };
}

/** Rings of the grid from pole to pole, and rays of each. */
export const GRID = { rings: POLAR + 1, around: 2 * POLAR };

/** The way [m] and the turn [rad] for a distance in a direction. */
export function stepOf(basis, direction, distance) {
  return basis[0].map((_, axis) => distance * direction.reduce((sum, share, k) => sum + share * basis[k][axis], 0));
}

/**
 * The exits (rays.js) of rays in directions of a space, from the pose `start` of the platform;
 * `tool` is what goes and turns, by its pose on the platform.
 */
export function exitsAlong(data, machine, { start, tool, space: { kind, basis }, directions }, progress) {
  const from = composed(start, tool), back = inverted(tool);
  const found = [];
  for (let first = 0; first < directions.length; first += TOGETHER) {
    const these = directions.slice(first, first + TOGETHER);
    const least = (asked) => machine.leastMargins(machine.followed(start, asked.map(
      ([n, distance]) => composed(displaced(from, stepOf(basis, these[n], distance)), back),
    )));
    found.push(...firstExits(least, these.map((direction) => farthest(data, kind === "orientation", stepOf(basis, direction, 1)))));
    progress(found.length / directions.length);
  }
  return found;
}
