// Bodies made of triangles, and lines made of segments: what the renderer draws.

import { cross, plus, unit } from "./space.js";

const ROUND = 24; // corners of what is round
const CREASE = Math.cos(Math.PI / 5); // faces at a larger angle meet at an edge
const RING_RADIUS = 0.028; // of a ring's bar

/**
 * @typedef {{positions: Float32Array, normals: Float32Array}} Mesh three corners a triangle,
 *   three numbers a corner; normals point outwards
 */

/** A mesh of convex faces, each with its corners in order around its normal. */
function flatMesh(faces) {
  const positions = [], normals = [];
  for (const face of faces) {
    const normal = unit(face.map((p, k) => cross(p, face[(k + 1) % face.length])).reduce(plus)); // also where corners meet
    for (let k = 2; k < face.length; k += 1) {
      positions.push(...face[0], ...face[k - 1], ...face[k]);
      normals.push(...normal, ...normal, ...normal);
    }
  }
  return { positions: Float32Array.from(positions), normals: Float32Array.from(normals) };
}

/** The faces around each vertex: those of vertex v stand in `faces` from `first[v]` to `first[v + 1]`. */
function fansOf(triangles, count) {
  const first = new Uint32Array(count + 1), faces = new Uint32Array(triangles.length);
  for (const vertex of triangles) first[vertex + 1] += 1;
  for (let v = 0; v < count; v += 1) first[v + 1] += first[v];
  const next = first.slice();
  triangles.forEach((vertex, k) => { faces[next[vertex]++] = Math.floor(k / 3); });
  return { first, faces };
}

/** Normals of triangles, as long as twice their areas; x, y, z each. */
function areasOf(p) {
  const areas = new Float32Array(p.length / 3);
  for (let k = 0, n = 0; k < p.length; k += 9, n += 3) {
    const ex = p[k + 3] - p[k], ey = p[k + 4] - p[k + 1], ez = p[k + 5] - p[k + 2];
    const fx = p[k + 6] - p[k], fy = p[k + 7] - p[k + 1], fz = p[k + 8] - p[k + 2];
    areas[n] = ey * fz - ez * fy;
    areas[n + 1] = ez * fx - ex * fz;
    areas[n + 2] = ex * fy - ey * fx;
  }
  return areas;
}

/** Vectors over their lengths. */
function units(vectors) {
  const made = new Float32Array(vectors.length);
  for (let k = 0; k < vectors.length; k += 3) {
    const size = Math.hypot(vectors[k], vectors[k + 1], vectors[k + 2]) || 1;
    for (let i = k; i < k + 3; i += 1) made[i] = vectors[i] / size;
  }
  return made;
}

/**
 * A mesh of vertices and triangles, smooth but for its edges: the normal of a corner is the mean of
 * those of the faces around it, the larger ones count more.
 */
export function creasedMesh(vertices, triangles) {
  const positions = new Float32Array(3 * triangles.length), normals = new Float32Array(3 * triangles.length);
  triangles.forEach((vertex, k) => { for (let i = 0; i < 3; i += 1) positions[3 * k + i] = vertices[3 * vertex + i]; });
  const areas = areasOf(positions), flat = units(areas), fans = fansOf(triangles, vertices.length / 3);
  triangles.forEach((vertex, k) => {
    const own = k - k % 3; // of the face
    for (let n = fans.first[vertex]; n < fans.first[vertex + 1]; n += 1) {
      const face = 3 * fans.faces[n];
      if (flat[face] * flat[own] + flat[face + 1] * flat[own + 1] + flat[face + 2] * flat[own + 2] < CREASE) continue;
      for (let i = 0; i < 3; i += 1) normals[3 * k + i] += areas[face + i];
    }
  });
  return { positions, normals: units(normals) };
}

/** A prism: an outline, seen from above in positive order, and the same outline at a `depth` below. */
export function prism(outline, depth) {
  const below = outline.map((p) => plus(p, depth));
  const sides = outline.map((p, k) => {
    const next = (k + 1) % outline.length;
    return [p, below[k], below[next], outline[next]];
  });
  return flatMesh([outline, [...below].reverse(), ...sides]);
}

/** The edges of a prism. */
export function prismEdges(outline, depth) {
  const below = outline.map((p) => plus(p, depth));
  const around = (points) => [...points, points[0]];
  const upright = outline.flatMap((p, k) => [...p, ...below[k]]);
  return Float32Array.from([...polyline(around(outline)), ...polyline(around(below)), ...upright]);
}

/** A round surface swept around z: `profile` goes along it as [radius, z, normal outwards, normal up]. */
function swept(profile) {
  const at = (k, [radius, z]) => [radius * Math.cos(2 * Math.PI * k / ROUND), radius * Math.sin(2 * Math.PI * k / ROUND), z];
  const positions = [], normals = [];
  for (let k = 0; k < ROUND; k += 1) {
    for (let n = 1; n < profile.length; n += 1) {
      const [low, high] = [profile[n - 1], profile[n]];
      for (const [turn, point] of [[k, low], [k + 1, low], [k + 1, high], [k, low], [k + 1, high], [k, high]]) {
        positions.push(...at(turn, point));
        normals.push(...at(turn, point.slice(2)));
      }
    }
  }
  return { positions: Float32Array.from(positions), normals: Float32Array.from(normals) };
}

/** A bar of radius 1 along z from 0 to 1, with its ends. */
export const BAR = swept([[0, 0, 0, -1], [1, 0, 0, -1], [1, 0, 1, 0], [1, 1, 1, 0], [1, 1, 0, 1], [0, 1, 0, 1]]);

/** A ball of radius 1. */
export const BALL = swept(Array.from({ length: 11 }, (_, n) => {
  const [up, out] = [-Math.cos(Math.PI * n / 10), Math.sin(Math.PI * n / 10)];
  return [out, up, out, up];
}));

/** A cone of radius 1 along z from 0 to its tip at 1. */
export const CONE = swept([[0, 0, 0, -1], [1, 0, 0, -1], [1, 0, Math.SQRT1_2, Math.SQRT1_2], [0, 1, Math.SQRT1_2, Math.SQRT1_2]]);

/** A thin ring of radius 1 around z. */
export const RING = swept(Array.from({ length: 9 }, (_, n) => {
  const [out, up] = [Math.cos(Math.PI * n / 4), Math.sin(Math.PI * n / 4)];
  return [1 + RING_RADIUS * out, RING_RADIUS * up, out, up];
}));

/** The segments of a line through points: six numbers each. */
export function polyline(points) {
  return Float32Array.from(points.slice(1).flatMap((p, k) => [...points[k], ...p]));
}

/** A square net around a point, with `count` meshes either way from it. */
export function net([x, y, z], reach, count) {
  const places = Array.from({ length: 2 * count + 1 }, (_, k) => (k / count - 1) * reach);
  return Float32Array.from(places.flatMap((s) => [
    x + s, y - reach, z, x + s, y + reach, z, x - reach, y + s, z, x + reach, y + s, z,
  ]));
}
