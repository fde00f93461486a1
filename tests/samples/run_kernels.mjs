// Runs exported kernels on samples: for each kernel of the plan, one sample after the other by its
// JavaScript and all of them by its WebAssembly.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const plan = JSON.parse(readFileSync(`${folder}/plan.json`, "utf8"));

function read(name) {
  const bytes = readFileSync(`${folder}/${name}`);
  return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
}

function write(name, arrays) {
  const joined = Float64Array.from(arrays.flatMap((a) => Array.from(a)));
  writeFileSync(`${folder}/${name}`, new Uint8Array(joined.buffer));
}

for (const { name, inputs, count } of plan) {
  const given = Object.fromEntries(inputs.map((a) => [a, read(`${name}.${a}`)]));
  const one = await import(pathToFileURL(`${folder}/${name}.js`));
  const rows = [];
  for (let k = 0; k < count; k++) {
    const sample = inputs.map((a) => {
      const n = given[a].length / count;
      return given[a].slice(k * n, (k + 1) * n);
    });
    const found = one[name](...sample);
    rows.push(...(found instanceof Float64Array ? [found] : Object.values(found)));
  }
  write(`${name}.one`, rows);
  const many = await (await import(pathToFileURL(`${folder}/${name}_batch.js`)))[name]();
  write(`${name}.many`, Object.values(many(given, count)));
}
