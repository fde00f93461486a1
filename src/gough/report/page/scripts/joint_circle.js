// Joints around an axis along z: their radius, the angle between those of a pair, their height.

const mean = (values) => values.reduce((sum, x) => sum + x, 0) / values.length;
const wrapped = (angle) => (angle + 2 * Math.PI) % (2 * Math.PI);

/** Joints as a circle: mean radius [m], mean angle between the two of a pair [rad], mean height [m]. */
export function circleOf(joints) {
  const { polar, pairs } = described(joints);
  return { radius: mean(polar.map(({ radius }) => radius)), spread: mean(pairs.map(({ gap }) => gap)), height: mean(joints.map(([, , z]) => z)) };
}

/** The same joints with some of that changed: all radii by a factor, angles and heights by a sum. */
export function withCircle(joints, changes) {
  const { centre: [x, y], polar, pairs } = described(joints);
  const before = circleOf(joints), now = { ...before, ...changes };
  const angles = polar.map(({ angle }) => angle);
  for (const { first, second, gap } of pairs) {
    const half = (now.spread - before.spread) / 2;
    angles[first] -= half;
    angles[second] = angles[first] + gap + 2 * half;
  }
  return joints.map(([, , z], k) => {
    const radius = polar[k].radius * now.radius / before.radius;
    return [x + radius * Math.cos(angles[k]), y + radius * Math.sin(angles[k]), z + now.height - before.height];
  });
}

/** Polar coordinates about the joints' middle; each with the neighbour that makes the closer pairs. */
function described(joints) {
  const centre = [0, 1].map((axis) => mean(joints.map((joint) => joint[axis])));
  const polar = joints.map(([x, y]) => ({ radius: Math.hypot(x - centre[0], y - centre[1]), angle: Math.atan2(y - centre[1], x - centre[0]) }));
  const order = joints.map((_, k) => k).sort((a, b) => polar[a].angle - polar[b].angle);
  const neighbours = order.map((first, n) => {
    const second = order[(n + 1) % order.length];
    return { first, second, gap: wrapped(polar[second].angle - polar[first].angle) };
  });
  const [even, odd] = [0, 1].map((start) => neighbours.filter((_, n) => n % 2 === start));
  const total = (list) => list.reduce((sum, { gap }) => sum + gap, 0);
  return { centre, polar, pairs: total(even) <= total(odd) ? even : odd };
}
