// Arrows and rings on the tool: to be dragged, each along or about one axis of the work frame.

import { displaced } from "./attitude.js";
import { RING, BAR, CONE } from "./meshes.js";
import { barMatrix, cross, dot, frameMatrix, minus, plus, size, times, turned, unit } from "./space.js";

const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
const COLOURS = { x: "--series-2", y: "--series-3", z: "--series-1" };
const ARM = 0.34, THICK = 0.008, TIP = 0.024, TIP_LENGTH = 0.07, CIRCLE = 0.24; // in reaches of the machine

/** What is drawn for the freedoms that there are, with the tool at a pose and axes of a frame. */
export function gizmoThings(freedoms, tool, work, reach, colour) {
  return freedoms.flatMap(({ name, turns }) => {
    const letter = name.at(-1), axis = turned(work.slice(3), AXES[letter]);
    const painted = { colour: colour(COLOURS[letter]), over: true, name };
    return turns ? [ring(tool, axis, reach, painted)] : arrow(tool, axis, reach, painted);
  });
}

function arrow(tool, axis, reach, painted) {
  const from = tool.slice(0, 3), neck = plus(from, times(axis, ARM * reach)), tip = plus(neck, times(axis, TIP_LENGTH * reach));
  return [
    { mesh: BAR, place: barMatrix(from, neck, THICK * reach), ...painted },
    { mesh: CONE, place: barMatrix(neck, tip, TIP * reach), ...painted },
  ];
}

function ring(tool, axis, reach, painted) {
  const x = unit(cross(Math.abs(axis[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], axis));
  const [r, y] = [CIRCLE * reach, cross(axis, x)];
  return { mesh: RING, place: frameMatrix(times(x, r), times(y, r), times(axis, r), tool.slice(0, 3)), ...painted };
}

/**
 * A function from a ray (eye, along) to the tool's pose, for a freedom that is gripped by another
 * ray; null where that ray does not tell.
 */
export function gripped({ name, turns }, tool, work, first) {
  const axis = turned(work.slice(3), AXES[name.at(-1)]);
  const reading = (ray) => (turns ? angleAt(tool, axis, ray) : alongAxis(tool, axis, ray));
  const start = reading(first);
  if (!Number.isFinite(start)) return null;
  let before = start, total = 0;
  return (ray) => {
    const now = reading(ray);
    if (!Number.isFinite(now)) return null;
    total += turns ? Math.atan2(Math.sin(now - before), Math.cos(now - before)) : now - before;
    before = now;
    const step = times(axis, total);
    return displaced(tool, turns ? [0, 0, 0, ...step] : [...step, 0, 0, 0]);
  };
}

/** How far along an axis through a point the ray comes nearest to it; not a number where it goes along. */
export function alongAxis(point, axis, { eye, along }) {
  const across = cross(axis, cross(along, axis)); // the part of the ray across the axis
  const offset = minus(eye, point.slice(0, 3));
  if (size(across) < 1e-3 * size(along)) return NaN;
  const distance = -dot(offset, across) / dot(along, across);
  return dot(plus(offset, times(along, distance)), axis);
}

/** The angle about the axis at which the ray meets its plane; not a number where it does not. */
function angleAt(tool, axis, { eye, along }) {
  const offset = minus(eye, tool.slice(0, 3));
  const distance = -dot(offset, axis) / dot(along, axis);
  if (!(distance > 0) || Math.abs(dot(along, axis)) < 1e-3 * size(along)) return NaN;
  const x = unit(cross(Math.abs(axis[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], axis));
  const point = plus(offset, times(along, distance));
  return Math.atan2(dot(point, cross(axis, x)), dot(point, x));
}
