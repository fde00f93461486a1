// Which body is under the pointer: the nearest triangle that a ray from the eye meets.
//
// Computed here and not by the graphics card, which would have to be waited for.

import { cross, dot, minus } from "./space.js";

/** The point or direction of a scene, seen from a thing with this place. */
function seenFrom(place, vector) {
  const [x, y, z] = [0, 4, 8].map((k) => place.subarray(k, k + 3));
  const volume = dot(x, cross(y, z));
  return [cross(y, z), cross(z, x), cross(x, y)].map((side) => dot(side, vector) / volume);
}

/** How far along a ray it meets a triangle; infinite if it does not [Möller, Trumbore 1997]. */
function meets(from, along, a, b, c) {
  const e1 = minus(b, a), e2 = minus(c, a), p = cross(along, e2), size = dot(e1, p);
  if (Math.abs(size) < 1e-12) return Infinity;
  const offset = minus(from, a), u = dot(offset, p) / size;
  if (u < 0 || u > 1) return Infinity;
  const q = cross(offset, e1), v = dot(along, q) / size, distance = dot(e2, q) / size;
  return v >= 0 && u + v <= 1 && distance > 0 ? distance : Infinity;
}

/**
 * The name of the nearest body at a pixel, from the picture's upper left corner; null if there is
 * none there, or one without a name. What is drawn over all bodies hides them.
 * @param {ReturnType<import("./space.js").createCamera>} camera
 * @param {import("./renderer.js").Thing[]} things
 */
export function pick(camera, things, x, y) {
  const along = camera.ray(x, y);
  let nearest = Infinity, found = null, covered = false;
  for (const { mesh, place, name = null, over = false } of things) {
    if (!mesh || (covered && !over)) continue;
    const from = place ? seenFrom(place, minus(camera.eye, place.subarray(12, 15))) : camera.eye;
    const towards = place ? seenFrom(place, along) : along;
    const corner = (k) => mesh.positions.subarray(k, k + 3);
    for (let k = 0; k < mesh.positions.length; k += 9) {
      const distance = meets(from, towards, corner(k), corner(k + 3), corner(k + 6));
      if (distance < nearest || (over && !covered && distance < Infinity)) [nearest, found, covered] = [distance, name, over];
    }
  }
  return found;
}
