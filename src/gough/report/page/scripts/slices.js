// Slices of a grid: the points along one variation while the others stay where they are.

/** How far the flat places of neighbours along each axis are apart; the last axis runs fastest. */
export function strides(shape) {
  return shape.map((_, k) => shape.slice(k + 1).reduce((a, b) => a * b, 1));
}

/** The place on each axis of a point's flat number. */
export function placesOf(point, shape) {
  return strides(shape).map((stride, k) => Math.floor(point / stride) % shape[k]);
}

/** Flat numbers of the points along one axis, through the given places. */
export function sliceAlong(axis, places, shape) {
  const steps = strides(shape);
  const start = places.reduce((sum, place, k) => sum + (k === axis ? 0 : place * steps[k]), 0);
  return Array.from({ length: shape[axis] }, (_, k) => start + k * steps[axis]);
}
