// The way in the scene: where the tool goes, with its waypoints and their numbers.

import { composed } from "./attitude.js";
import { rgbOf } from "./colours.js";
import { styleValue } from "./dom.js";
import { BALL } from "./meshes.js";
import { ballMatrix } from "./space.js";

const FINEST = 200; // parts of the line, if there are more samples
const LIFT = 0.05; // how far above a waypoint its number is, in reaches
const colour = (name) => rgbOf(styleValue(name));
let drawn = {}; // the line that was made last

/** Radius of a waypoint, in reaches of the machine. */
export const BALL_SIZE = 0.018;

/** Things and labels for the scene (see view.js). */
export function wayDrawing(bench) {
  const { points, sampled } = bench.history.now.way, { reach } = bench.data.drawing.bounds;
  const at = sampled ? [] : points.map(({ pose }) => toolAt(bench, pose));
  return {
    things: [...lines(bench), ...at.map((point) => ({ mesh: BALL, place: ballMatrix(point, BALL_SIZE * reach), colour: colour("--path"), over: true }))],
    labels: at.map(([x, y, z], k) => ({ text: `P${k + 1}`, at: [x, y, z + LIFT * reach], disc: BALL_SIZE * reach })),
  };
}

/** The line of the tool's point; where a limit is violated, in another colour. */
function lines(bench) {
  const found = bench.along(), { tool } = bench.history.now.frames;
  if (!found) return [];
  if (drawn.found !== found || drawn.tool !== tool) {
    const last = found.time.length - 1, parts = Math.min(FINEST, last);
    const places = Array.from({ length: parts + 1 }, (_, k) => Math.round(k * last / parts));
    const spots = places.map((k) => toolAt(bench, Array.from(found.pose.subarray(7 * k, 7 * k + 7))));
    const outside = places.map((k) => !isInside(bench.data, found, k));
    const stretches = (wanted) => Float32Array.from(spots.slice(1).flatMap((spot, k) => ((outside[k] || outside[k + 1]) === wanted ? [...spots[k], ...spot] : [])));
    drawn = { found, tool, inside: stretches(false), outside: stretches(true) };
  }
  return [
    { lines: drawn.inside, colour: colour("--path"), width: 2.5, over: true },
    { lines: drawn.outside, colour: colour("--alert"), width: 3.5, over: true },
  ].filter(({ lines: some }) => some.length > 0);
}

/** Where the tool is with the platform at a pose [m]. */
export const toolAt = (bench, pose) => composed(pose, bench.history.now.frames.tool).slice(0, 3);

/** Whether a sample is within all limits of poses. */
function isInside({ limits }, { margin }, k) {
  return margin.subarray(k * limits.length, (k + 1) * limits.length).every((one) => one >= 0);
}
