/** How a kernel that is WebAssembly is called, on as many samples as there are. */

const BLOCK = 1024; // samples that lie in its memory at the same time
const STACK = 1 << 20; // bytes at the beginning of the memory; it grows downwards
const PAGE = 1 << 16;
const NUMBER = 8;
const POINTER = 4;

/**
 * A function (inputs, count) of a kernel's code and signature.
 *
 * `inputs` has arrays by the names of the kernel's inputs: `count` samples, one after the other, or
 * one sample for all of them; what is optional may be left out. The result has an array of `count`
 * samples for each output.
 */
export async function batch(code, signature, mathematics) {
  const { inputs, outputs } = signature;
  const places = layout([...inputs, ...outputs]);
  const memory = new WebAssembly.Memory({ initial: Math.ceil(places.end / PAGE) });
  const top = new WebAssembly.Global({ value: "i32", mutable: true }, STACK);
  const env = { ...mathematics, __linear_memory: memory, __stack_pointer: top };
  const { instance } = await WebAssembly.instantiate(code, { env });
  const words = new BigInt64Array(memory.buffer);
  const pointers = new Int32Array(memory.buffer);
  const numbers = new Float64Array(memory.buffer);
  places.arrays.forEach((place, k) => { pointers[places.pointers / POINTER + k] = place; });
  places.inner.forEach((stride, k) => {
    words[places.steps / NUMBER + places.arrays.length + k] = BigInt(stride);
  });

  return (given, count) => {
    const samples = inputs.map((a) => samplesOf(a, given[a.name], count));
    const found = outputs.map((a) => new Float64Array(count * size(a)));
    samples.forEach((array, k) => {
      const repeated = array.length === size(inputs[k]);
      words[places.steps / NUMBER + k] = repeated ? 0n : BigInt(NUMBER * size(inputs[k]));
      if (repeated) numbers.set(array, places.arrays[k] / NUMBER);
    });
    outputs.forEach((a, k) => {
      words[places.steps / NUMBER + inputs.length + k] = BigInt(NUMBER * size(a));
    });
    for (let first = 0; first < count; first += BLOCK) {
      const now = Math.min(BLOCK, count - first);
      samples.forEach((array, k) => {
        const n = size(inputs[k]);
        if (array.length === n) return;
        numbers.set(array.subarray(first * n, (first + now) * n), places.arrays[k] / NUMBER);
      });
      words[places.count / NUMBER] = BigInt(now);
      instance.exports.loop(places.pointers, places.count, places.steps, 0);
      found.forEach((array, k) => {
        const begin = places.arrays[inputs.length + k] / NUMBER;
        const n = size(outputs[k]);
        array.set(numbers.subarray(begin, begin + now * n), first * n);
      });
    }
    return Object.fromEntries(outputs.map((a, k) => [a.name, found[k]]));
  };
}

/** Where in the memory everything lies [bytes]. */
function layout(all) {
  const count = STACK;
  const pointers = count + NUMBER;
  const inner = all.flatMap((a) => a.shape.map((_, axis) => NUMBER * product(a.shape.slice(axis + 1))));
  const steps = Math.ceil((pointers + POINTER * all.length) / NUMBER) * NUMBER;
  const arrays = [];
  let end = steps + NUMBER * (all.length + inner.length);
  for (const a of all) {
    arrays.push(end);
    end += NUMBER * BLOCK * size(a);
  }
  return { count, pointers, steps, inner, arrays, end };
}

/** An input as an array of numbers, with one sample or as many as there are. */
function samplesOf(argument, array, count) {
  const n = size(argument);
  if (array === undefined && argument.optional) return new Float64Array(n);
  if (array === undefined) throw new RangeError(`${argument.name} is missing`);
  if (array.length !== n && array.length !== n * count) {
    const many = count === 1 ? "" : ` or ${n * count}`;
    throw new RangeError(`${argument.name} has ${array.length} numbers; expected ${n}${many}`);
  }
  return array instanceof Float64Array ? array : Float64Array.from(array);
}

function size(argument) {
  return product(argument.shape);
}

function product(numbers) {
  return numbers.reduce((all, n) => all * n, 1);
}
