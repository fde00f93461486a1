// Plain data as a TOML file.

const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isTables = (value) => Array.isArray(value) && value.length > 0 && value.every(isTable);

/** A table, and all that is in it, as TOML; numbers are written so that they are read as the same, whole ones are BigInts. */
export function tomlText(table) {
  return `${linesOf(table, []).join("\n").trim()}\n`;
}

function linesOf(table, path) {
  const entries = Object.entries(table).filter(([, value]) => value !== null && value !== undefined);
  const plain = entries.filter(([, value]) => !isTable(value) && !isTables(value));
  const title = (key) => [...path, key].map(keyText).join(".");
  return [
    ...plain.map(([key, value]) => `${keyText(key)} = ${valueText(value)}`),
    ...entries.filter(([, value]) => isTable(value)).flatMap(([key, value]) => ["", `[${title(key)}]`, ...linesOf(value, [...path, key])]),
    ...entries.filter(([, value]) => isTables(value)).flatMap(([key, list]) => list.flatMap((value) => ["", `[[${title(key)}]]`, ...linesOf(value, [...path, key])])),
  ];
}

function keyText(key) {
  return /^[\w-]+$/.test(key) ? key : quoted(key);
}

function valueText(value) {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (isTable(value)) return `{ ${Object.entries(value).map(([key, one]) => `${keyText(key)} = ${valueText(one)}`).join(", ")} }`;
  if (typeof value === "number") return numberText(value);
  return typeof value === "string" ? quoted(value) : String(value);
}

function numberText(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const text = Object.is(value, -0) ? "-0" : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function quoted(text) {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
