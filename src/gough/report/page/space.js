// Points in space: turning by quaternions, poses between samples, and the camera's projection.

const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (a, f) => [a[0] * f, a[1] * f, a[2] * f];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const size = (a) => Math.sqrt(dot(a, a));
const between = (a, b, share) => plus(times(a, 1 - share), times(b, share));

/** A vector turned by the quaternion w x y z. */
function turned([w, x, y, z], vector) {
  const axis = [x, y, z];
  const twice = times(cross(axis, vector), 2);
  return plus(plus(vector, times(twice, w)), cross(axis, twice));
}

/** The pose at a share of the way between two poses x y z qw qx qy qz. */
function poseBetween(a, b, share) {
  const sign = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
  const mixed = a.map((value, k) => (1 - share) * value + share * (k < 3 ? b[k] : sign * b[k]));
  const norm = Math.hypot(mixed[3], mixed[4], mixed[5], mixed[6]);
  return mixed.map((value, k) => (k < 3 ? value : value / norm));
}

/** Where a point of the platform is in the base frame. */
function placed(pose, point) {
  return plus(pose.slice(0, 3), turned(pose.slice(3), point));
}

/**
 * A camera that looks at `target` from `distance`, `yaw` around z and `pitch` above the horizon.
 * `project` gives screen x, y [pixels], the depth and the scale [pixels per metre] there.
 */
function createCamera({ target, distance, yaw, pitch, focal, width, height }) {
  const towards = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)];
  const right = [-Math.sin(yaw), Math.cos(yaw), 0];
  const up = cross(towards, right);
  return {
    eye: plus(target, times(towards, distance)),
    project(point) {
      const offset = minus(point, target);
      const depth = distance - dot(offset, towards);
      const scale = focal / Math.max(depth, distance * 1e-3);
      return { x: width / 2 + scale * dot(offset, right), y: height / 2 - scale * dot(offset, up), depth, scale };
    },
  };
}

/** The corners of a flat outline around points, in order, seen along z and a little enlarged. */
function outlineAround(points, enlarged) {
  const centre = times(points.reduce(plus), 1 / points.length);
  return points
    .map((p) => ({ p: plus(centre, times(minus(p, centre), enlarged)), angle: Math.atan2(p[1] - centre[1], p[0] - centre[0]) }))
    .sort((a, b) => a.angle - b.angle)
    .map(({ p }) => p);
}
