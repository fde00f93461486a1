// The way through waypoints: where the platform is at a time, how fast and how accelerated.
//
// It is the motion "waypoints" of study files: straight moves from stop to stop, each with a profile,
// or one smooth way that stops at its ends only. Places are positions and rotation vectors.

import { conjugate, product, rotationVector } from "./attitude.js";
import { PROFILES } from "./profiles.js";
import { minus, size, times } from "./space.js";
import { quinticAt, ratesOf } from "./spline.js";

/** The way of waypoints that is not one of PROFILES: without stops between its ends. */
export const SMOOTH = "smooth";

/**
 * Waypoints, each with its pose and the time [s] that leads to it, which the first does not need;
 * and how the ways between them are gone: one of PROFILES, or SMOOTH. A way that is `sampled` is not
 * theirs, but that of the study's samples.
 */
export const NO_WAY = { points: [], profile: "quintic", sampled: false };

/** That lead to a new waypoint [s]. */
export const USUAL_SECONDS = 2;

/** Whether there is a way. */
export const isWay = ({ points, sampled }) => sampled || points.length > 1;

/** When each waypoint is reached [s]; the first at 0. */
export function timesOf({ points }) {
  let time = 0;
  return points.map(({ seconds }, k) => { time = k === 0 ? 0 : time + seconds; return time; });
}

/** How long the way through waypoints takes [s], as a sequence of moves counts it. */
export function durationOf(way) {
  return startsOf(timesOf(way)).at(-1);
}

/**
 * Pose, twist and acceleration along a way, for each of some moments one after the other; along a
 * sampled one also the wrench and the bodies of its samples.
 */
export function motionAlong(machine, way, moments) {
  if (way.sampled) return machine.sampled(moments);
  const at = way.profile === SMOOTH ? smoothWay(way) : straightWays(way);
  const all = { reference: [], place: [], place_1: [], place_2: [] };
  for (const moment of moments) {
    const { reference, rates } = at(moment);
    all.reference.push(...reference);
    ["place", "place_1", "place_2"].forEach((name, n) => all[name].push(...rates.map((rate) => rate[n])));
  }
  return machine.motion(all, moments.length);
}

/** Ends of moves that take as long as the times are apart. */
function startsOf(moments) {
  let sum = 0;
  return moments.map((moment, k) => { sum += k === 0 ? 0 : moment - moments[k - 1]; return sum; });
}

/** Among ascending starts, the last that is not after a moment, and not the last of all. */
const stretchAt = (starts, moment) => Math.max(0, Math.min(starts.length - 2, starts.findLastIndex((start) => start <= moment)));

function straightWays({ points, profile }) {
  const moments = timesOf({ points }), starts = startsOf(moments);
  const moves = points.slice(1).map(({ pose }, k) => {
    const before = points[k].pose, reference = before.slice(3);
    const turn = rotationVector(product(conjugate(reference), pose.slice(3)));
    return { reference, first: [...before.slice(0, 3), 0, 0, 0], change: [...minus(pose, before), ...turn], duration: moments[k + 1] - moments[k] };
  });
  return (moment) => {
    const k = stretchAt(starts, moment), { reference, first, change, duration } = moves[k];
    const [s, speed, acceleration] = PROFILES[profile](Math.min(moment - starts[k], duration), duration);
    return { reference, rates: change.map((x, n) => [first[n] + s * x, speed * x, acceleration * x]) };
  };
}

function smoothWay({ points }) {
  const moments = timesOf({ points }), reference = points[0].pose.slice(3);
  const rows = continuous(points.map(({ pose }) => [...pose.slice(0, 3), ...rotationVector(product(conjugate(reference), pose.slice(3)))]));
  const { speed, acceleration } = ratesOf(moments, rows);
  const at = (k, c) => [rows[k][c], speed[k][c], acceleration[k][c]];
  return (moment) => {
    const k = stretchAt(moments, moment), h = moments[k + 1] - moments[k];
    return { reference, rates: rows[0].map((_, c) => quinticAt(moment - moments[k], h, at(k, c), at(k + 1, c))) };
  };
}

/** The same attitudes, each rotation vector the nearest to the one before it. */
function continuous(rows) {
  const made = [];
  for (const row of rows) {
    const turn = row.slice(3), angle = size(turn), before = made.at(-1)?.slice(3) ?? turn;
    const other = angle > 0 ? times(turn, 1 - 2 * Math.PI / angle) : turn;
    const nearer = size(minus(other, before)) < size(minus(turn, before));
    made.push([...row.slice(0, 3), ...(nearer ? other : turn)]);
  }
  return made;
}
