// The machine's equations in the page: Gough's own, as WebAssembly.

import { batch } from "./batch.js";
import { copysign, fmod, pow, remainder } from "./mathematics.js";

const OURS = { copysign, fmod, pow, remainder };

/**
 * The functions of a file, by name, as soon as they are loaded. Each takes arrays by the names of
 * its inputs and gives arrays by those of its outputs, for one sample, or for `count` of them.
 */
export async function loadKernels(packed) {
  const loaded = await Promise.all(Object.entries(packed).map(async ([name, { code, calls, signature }]) => {
    const bytes = Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0));
    const run = await batch(bytes, signature, Object.fromEntries(calls.map((f) => [f, OURS[f] ?? Math[f]])));
    return [name, (inputs, count = 1) => run(inputs, count)];
  }));
  return Object.fromEntries(loaded);
}
