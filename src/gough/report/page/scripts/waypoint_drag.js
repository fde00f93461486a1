// Waypoints that are dragged in the scene: in the plane of the picture, as far as the machine goes.

import { dot, minus, plus, size, times } from "./space.js";
import { alongAxis } from "./gizmo.js";
import { BALL_SIZE, toolAt } from "./way_drawing.js";

const FINGER = 2.5; // radii of a waypoint around it in which it is taken hold of, if nothing else is there
const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

/**
 * What is held of a waypoint by a ray (see view.js), or null: the nearest one that is hit, or only
 * missed by little where there is `nothing` else.
 */
export function grippedWaypoint(bench, ray, nothing) {
  const { points, sampled } = bench.history.now.way, { reach } = bench.data.drawing.bounds;
  if (sampled) return null;
  const spots = points.map(({ pose }) => toolAt(bench, pose));
  const misses = spots.map((spot) => missed(spot, ray)), nearest = Math.min(...misses);
  if (!(nearest <= BALL_SIZE * reach * (nothing ? FINGER : 1))) return null;
  const k = misses.indexOf(nearest), shift = shifted(bench, spots[k], ray), { pose } = points[k];
  let passing = false;
  return {
    move(next) {
      const way = shift(next);
      if (!way.every(Number.isFinite)) return;
      const moved = bench.machine.possible([...plus(pose, way), ...pose.slice(3)]);
      const now = bench.history.now.way;
      bench.change({ way: { ...now, points: now.points.map((point, n) => (n === k ? { ...point, pose: moved } : point)) } }, passing);
      passing = true;
    },
  };
}

/** How far from a point a ray goes by [m]. */
function missed(point, { eye, along }) {
  const offset = minus(point, eye), distance = dot(offset, along) / dot(along, along);
  return distance > 0 ? size(minus(offset, times(along, distance))) : Infinity;
}

/**
 * A function from a ray to the way [m] from a point that is gripped by the first ray: across the
 * view; of machines that go in a plane or along an axis only, there.
 */
function shifted({ data }, point, first) {
  const free = Object.keys(AXES).filter((name) => data.degrees_of_freedom.some((one) => one.name === name));
  const [locked] = Object.keys(AXES).filter((name) => !free.includes(name));
  const normal = free.length === 3 ? minus(data.drawing.bounds.target, first.eye) : AXES[locked];
  const inPlane = ({ eye, along }) => minus(plus(eye, times(along, dot(minus(point, eye), normal) / dot(along, normal))), point);
  const onAxis = (ray) => times(AXES[free[0]], alongAxis(point, AXES[free[0]], ray));
  const reading = { 3: inPlane, 2: inPlane, 1: onAxis, 0: () => [0, 0, 0] }[free.length];
  const start = reading(first);
  return (ray) => minus(reading(ray), start);
}
