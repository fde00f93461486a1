// Ways from a pose: where each first leaves what is within all limits, and which limit that is.

const STEPS = 256; // looks along a way, before what lies between two of them is halved
const TOGETHER = 16; // looks of a way at a time: most ways end long before their reach
const HALVINGS = 45;
const BEYOND = 1e-9; // how far behind its end, relative to its distance, the limit that ends a way is read

/**
 * The end of each way as { distance, ended }: the number of the limit that ends it; -1 for none
 * within its reach, null where legs do not reach. A gap that is shorter than a step may be missed.
 * @param {(asked: [number, number][]) => {margin: number, limit: number | null}[]} least the least
 *   margins of ways, by their numbers, at distances
 * @param {number[]} reaches how far each way is followed
 */
export function firstExits(least, reaches) {
  const ends = reaches.map((reach) => ({ low: reach, high: reach }));
  let going = reaches.map((_, n) => n);
  for (let first = 0; first < STEPS && going.length; first += TOGETHER) {
    const looks = going.flatMap((n) => Array.from({ length: TOGETHER }, (_, k) => [n, reaches[n] * (first + k + 1) / STEPS]));
    const outside = least(looks).map(({ margin }) => !(margin >= 0));
    going = going.filter((n, place) => {
      const k = outside.slice(place * TOGETHER, (place + 1) * TOGETHER).indexOf(true);
      if (k >= 0) ends[n] = { low: reaches[n] * (first + k) / STEPS, high: reaches[n] * (first + k + 1) / STEPS };
      return k < 0;
    });
  }
  const ended = ends.flatMap(({ low, high }, n) => (low < high ? [n] : []));
  for (let k = 0; k < HALVINGS; k += 1) {
    const middles = ended.map((n) => (ends[n].low + ends[n].high) / 2);
    least(ended.map((n, place) => [n, middles[place]])).forEach(({ margin }, place) => {
      ends[ended[place]][margin >= 0 ? "low" : "high"] = middles[place];
    });
  }
  const distances = ends.map(({ low, high }) => (low + high) / 2);
  const behind = new Map(least(ended.map((n) => [n, distances[n] * (1 + BEYOND)])).map(({ limit }, place) => [ended[place], limit]));
  return distances.map((distance, n) => ({ distance, ended: behind.has(n) ? behind.get(n) : -1 }));
}
