// The surface of a workspace as transparent bodies, nets and slices, coloured by what ends it.

import { GRID, stepOf } from "./workspace.js";
import { cross, minus, plus, size, times, unit } from "./space.js";

const OPACITY = 0.3;
const EVERY = 4; // of the grid's rings and meridians is drawn in nets
const FARTHEST = 0.45; // of a space of attitudes, drawn around the tool, in reaches of the machine

/** What can end a ray: words and the name of a colour, by the family of its limit. */
export const ENDS = {
  stroke: { text: "stroke of an actuator", colour: "--series-1" },
  range: { text: "range of an actuator", colour: "--series-1" },
  travel: { text: "travel of an actuator", colour: "--series-1" },
  "base joint": { text: "joint at the base", colour: "--series-2" },
  "passive joint": { text: "passive joint", colour: "--series-2" },
  "platform joint": { text: "joint at the platform", colour: "--series-3" },
  clearance: { text: "clearance between legs", colour: "--series-4" },
  singularity: { text: "singularity", colour: "--series-5" },
  assembly: { text: "reach of the legs", colour: "--series-6" },
  none: { text: "no stated limit", colour: "--series-8" },
};

/** The family of a ray's end. */
export function familyOf(limits, { ended }) {
  if (ended === null) return "assembly";
  return ended < 0 ? "none" : limits[ended].family;
}

/** Where the ends of rays are drawn: positions of the tool, or turns as vectors from it. */
export function pointsOf({ space: { kind, basis }, centre }, directions, exits, reach) {
  const [first, scale] = kind === "position" ? [0, 1] : [3, FARTHEST * reach / Math.max(...exits.map(({ distance }) => distance))];
  return exits.map(({ distance }, n) => plus(centre, times(stepOf(basis, directions[n], distance).slice(first, first + 3), scale)));
}

/** Things of a surface by families; without `filled` its net alone. */
export function surfaceThings(points, families, filled, colourOf) {
  const net = Object.entries(grouped(netSegments(), ([a]) => families[a])).map(([family, segments]) => ({
    lines: Float32Array.from(segments.flatMap(([a, b]) => [...points[a], ...points[b]])), colour: colourOf(family), width: filled ? 0.7 : 1.2,
  }));
  if (!filled) return net;
  const faces = triangles(), normals = normalsOf(points, faces);
  const surfaces = Object.entries(grouped(faces, (face) => mostOf(face.map((n) => families[n])))).map(([family, mine]) => ({
    mesh: { positions: numbersOf(mine, points), normals: numbersOf(mine, normals) }, colour: colourOf(family), opacity: OPACITY,
  }));
  return [...surfaces, ...net];
}

/** Things of a slice: an area around the centre, and its outline by families. */
export function sliceThings(centre, points, families, colourOf) {
  const next = (n) => (n + 1) % points.length;
  const parts = grouped(points.map((_, n) => n), (n) => families[n]);
  const across = unit(points.map((p, n) => cross(minus(p, centre), minus(points[next(n)], centre))).reduce(plus));
  return Object.entries(parts).flatMap(([family, mine]) => [
    {
      mesh: { positions: Float32Array.from(mine.flatMap((n) => [...centre, ...points[n], ...points[next(n)]])), normals: Float32Array.from(mine.flatMap(() => [...across, ...across, ...across])) },
      colour: colourOf(family), opacity: OPACITY,
    },
    { lines: Float32Array.from(mine.flatMap((n) => [...points[n], ...points[next(n)]])), colour: colourOf(family), width: 3 },
  ]);
}

/** The volume inside a surface around a centre [m³, rad³]; the area inside a slice. */
export function measureOf(vectors) {
  const six = triangles().map(([a, b, c]) => { const n = cross(vectors[a], vectors[b]); return n[0] * vectors[c][0] + n[1] * vectors[c][1] + n[2] * vectors[c][2]; });
  return Math.abs(six.reduce((sum, x) => sum + x, 0)) / 6;
}

export function areaOf(vectors) {
  return vectors.reduce((sum, p, n) => sum + size(cross(p, vectors[(n + 1) % vectors.length])) / 2, 0);
}

const at = (ring, k) => ring * GRID.around + k % GRID.around;

/** Three rays each, in positive order as seen from outside. */
function triangles() {
  const cells = Array.from({ length: (GRID.rings - 1) * GRID.around }, (_, n) => [Math.floor(n / GRID.around), n % GRID.around]);
  return cells.flatMap(([ring, k]) => [[at(ring, k), at(ring + 1, k), at(ring + 1, k + 1)], [at(ring, k), at(ring + 1, k + 1), at(ring, k + 1)]]);
}

function netSegments() {
  const rays = Array.from({ length: GRID.rings * GRID.around }, (_, n) => [Math.floor(n / GRID.around), n % GRID.around]);
  return rays.flatMap(([ring, k]) => [
    ...(ring % EVERY === 0 ? [[at(ring, k), at(ring, k + 1)]] : []),
    ...(k % EVERY === 0 && ring + 1 < GRID.rings ? [[at(ring, k), at(ring + 1, k)]] : []),
  ]);
}

function normalsOf(points, faces) {
  const sums = points.map(() => [0, 0, 0]);
  for (const face of faces) {
    const [a, b, c] = face.map((n) => points[n]), normal = cross(minus(b, a), minus(c, a));
    for (const n of face) sums[n] = plus(sums[n], normal);
  }
  return sums.map(unit);
}

const numbersOf = (faces, vectors) => Float32Array.from(faces.flatMap((face) => face.flatMap((n) => vectors[n])));

const mostOf = ([a, b, c]) => (b === c ? b : a);

function grouped(items, keyOf) {
  const groups = {};
  for (const item of items) (groups[keyOf(item)] ??= []).push(item);
  return groups;
}
