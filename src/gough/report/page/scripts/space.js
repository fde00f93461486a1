// Points in space: turning by quaternions, poses between samples, matrices, and the camera.
//
// Ours, because the equations are the library's own, in a page that holds no foreign code.

export const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a, f) => [a[0] * f, a[1] * f, a[2] * f];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const size = (a) => Math.sqrt(dot(a, a));
export const unit = (a) => times(a, 1 / (size(a) || 1));
export const between = (a, b, share) => plus(times(a, 1 - share), times(b, share));
export const middle = (points) => times(points.reduce(plus), 1 / points.length);

/** A vector turned by the quaternion w x y z. */
export function turned([w, x, y, z], vector) {
  const axis = [x, y, z];
  const twice = times(cross(axis, vector), 2);
  return plus(plus(vector, times(twice, w)), cross(axis, twice));
}

/** The pose at a share of the way between two poses x y z qw qx qy qz. */
export function poseBetween(a, b, share) {
  const sign = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
  const mixed = a.map((value, k) => (1 - share) * value + share * (k < 3 ? b[k] : sign * b[k]));
  const norm = Math.hypot(mixed[3], mixed[4], mixed[5], mixed[6]);
  return mixed.map((value, k) => (k < 3 ? value : value / norm));
}

/** Where a point of the platform is in the base frame. */
export function placed(pose, point) {
  return plus(pose.slice(0, 3), turned(pose.slice(3), point));
}

/** The matrix, column by column, of a frame with these axes and origin. */
export function frameMatrix(x, y, z, origin) {
  return new Float32Array([...x, 0, ...y, 0, ...z, 0, ...origin, 1]);
}

/** The matrix of one thing after the other, b first. */
export function matrixProduct(a, b) {
  return Float32Array.from({ length: 16 }, (_, k) => [0, 1, 2, 3].reduce((sum, n) => sum + a[(k & 3) + 4 * n] * b[n + 4 * (k >> 2)], 0));
}

/** The matrix that puts a body where a pose says. */
export function poseMatrix(pose) {
  const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => turned(pose.slice(3), axis));
  return frameMatrix(...axes, pose.slice(0, 3));
}

/** The matrix that makes a unit bar along z one of a radius from one point to another. */
export function barMatrix(from, to, radius) {
  const along = minus(to, from), z = unit(along);
  const x = unit(cross(Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], z));
  return frameMatrix(times(x, radius), times(cross(z, x), radius), along, from);
}

/** The matrix that makes a unit ball one of a radius around a point. */
export function ballMatrix(centre, radius) {
  return frameMatrix([radius, 0, 0], [0, radius, 0], [0, 0, radius], centre);
}

/**
 * A camera that looks at `target` from `distance`, `yaw` around z and `pitch` above the horizon.
 * `project` gives screen x, y [pixels], the depth and the scale [pixels per metre] there; `matrix`
 * is the same for WebGL, column by column; `ray` is the way from the eye to a pixel; `light` is where light comes from: above the reader's
 * left shoulder.
 */
export function createCamera({ target, distance, yaw, pitch, focal, width, height }) {
  const towards = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)];
  const right = [-Math.sin(yaw), Math.cos(yaw), 0];
  const up = cross(towards, right);
  const near = 0.05 * distance, far = 6 * distance;
  const rows = [
    [times(right, 2 * focal / width), 0],
    [times(up, 2 * focal / height), 0],
    [times(towards, -(far + near) / (far - near)), (distance * (far + near) - 2 * far * near) / (far - near)],
    [times(towards, -1), distance],
  ].map(([row, end]) => [...row, end - dot(row, target)]);
  return {
    eye: plus(target, times(towards, distance)),
    light: unit(plus(towards, plus(times(up, 0.9), times(right, -0.55)))),
    matrix: Float32Array.from({ length: 16 }, (_, k) => rows[k % 4][k >> 2]),
    ray: (x, y) => minus(plus(times(right, (x - width / 2) / focal), times(up, (height / 2 - y) / focal)), towards),
    project(point) {
      const offset = minus(point, target);
      const depth = distance - dot(offset, towards);
      const scale = focal / Math.max(depth, distance * 1e-3);
      return { x: width / 2 + scale * dot(offset, right), y: height / 2 - scale * dot(offset, up), depth, scale };
    },
  };
}
