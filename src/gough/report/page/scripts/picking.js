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

/**
 * How far along a ray it first meets a triangle of a mesh; infinite if it meets none [Möller,
 * Trumbore 1997]. In single numbers, as meshes of files have a hundred thousand triangles.
 */
function meets([x, y, z], [dx, dy, dz], corners) {
  let nearest = Infinity;
  for (let k = 0; k < corners.length; k += 9) {
    const ax = corners[k], ay = corners[k + 1], az = corners[k + 2];
    const ex = corners[k + 3] - ax, ey = corners[k + 4] - ay, ez = corners[k + 5] - az;
    const fx = corners[k + 6] - ax, fy = corners[k + 7] - ay, fz = corners[k + 8] - az;
    const px = dy * fz - dz * fy, py = dz * fx - dx * fz, pz = dx * fy - dy * fx;
    const volume = ex * px + ey * py + ez * pz;
    const ox = x - ax, oy = y - ay, oz = z - az, u = (ox * px + oy * py + oz * pz) / volume;
    if (!(u >= 0 && u <= 1)) continue; // also where there is no volume
    const qx = oy * ez - oz * ey, qy = oz * ex - ox * ez, qz = ox * ey - oy * ex;
    const v = (dx * qx + dy * qy + dz * qz) / volume, distance = (fx * qx + fy * qy + fz * qz) / volume;
    if (v >= 0 && u + v <= 1 && distance > 0 && distance < nearest) nearest = distance;
  }
  return nearest;
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
    const distance = meets(from, towards, mesh.positions);
    if (distance < nearest || (over && !covered && distance < Infinity)) [nearest, found, covered] = [distance, name, over];
  }
  return found;
}
