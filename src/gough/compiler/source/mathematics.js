/** C's rules for functions that JavaScript has not, or has with rules of its own. */

export function copysign(size, sign) {
  const negative = sign < 0 || (sign === 0 && 1 / sign < 0);
  return negative ? -Math.abs(size) : Math.abs(size);
}

export function fmod(x, y) {
  return x % y;
}

export function pow(base, exponent) {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Infinity)) return 1;
  return Math.pow(base, exponent);
}

export function remainder(x, y) {
  const size = Math.abs(y);
  if (size === Infinity) return Number.isFinite(x) ? x : NaN;
  let rest = Math.abs(size > Number.MAX_VALUE / 2 ? x : x % (2 * size));
  if (rest > size - rest) {
    rest -= size;
    if (rest >= size - rest) rest -= size;
  }
  return x < 0 || (x === 0 && 1 / x < 0) ? -rest : rest;
}
