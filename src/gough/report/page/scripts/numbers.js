// Numbers for people: round steps along an axis, and short texts.

const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const LEAST_TICKS = 3; // fewer do not tell an axis' scale

/** The round step (1, 2 or 5 times a power of ten) that divides a span into about `count` parts. */
function roundStep(span, count) {
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((f) => f * power >= rough * 0.999999);
  return factor * power;
}

/** The multiples of a step between low and high. */
function multiples(low, high, step) {
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) ticks.push(k * step);
  return ticks;
}

/** Round values between low and high, about `count` of them, and three at least. */
export function linearTicks(low, high, count) {
  if (!(high > low)) return [low];
  for (let parts = Math.max(count, 1); ; parts += 1) {
    const ticks = multiples(low, high, roundStep(high - low, parts));
    if (ticks.length >= LEAST_TICKS) return ticks;
  }
}

/** Round values of a logarithmic axis, three at least: powers of ten, with 2 and 5 between where those are few. */
export function logTicks(low, high, count) {
  const decades = Math.log10(high / low);
  if (decades < 1) return linearTicks(low, high, count).filter((x) => x > 0);
  const first = Math.floor(Math.log10(low)), last = Math.floor(Math.log10(high * 1.000001));
  const all = Array.from({ length: last - first + 1 }, (_, k) => 10 ** (first + k));
  const inside = (tick) => tick >= low * 0.999999 && tick <= high * 1.000001;
  const powers = all.filter(inside);
  if (decades <= 2 || powers.length < LEAST_TICKS) return all.flatMap((power) => [power, 2 * power, 5 * power]).filter(inside);
  const stride = Math.min(Math.ceil(powers.length / Math.max(count, 1)), Math.floor((powers.length - 1) / (LEAST_TICKS - 1)));
  return powers.filter((_, k) => k % stride === 0);
}

/** A power of ten as people write it: 2.5·10⁶. */
function scientific(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits).split("e");
  const raised = [...String(Number(exponent))].map((c) => SUPERSCRIPTS[c]).join("");
  const trimmed = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return `${trimmed.replace("-", "−")}·10${raised}`;
}

/** Digits in groups of three, a thin space between them; a proper minus sign. */
function grouped(text) {
  const [integer, fraction] = text.replace("-", "").split(".");
  const spaced = integer.length > 4 ? integer.replace(/\B(?=(\d{3})+$)/g, "\u2009") : integer;
  const negative = text.startsWith("-") && /[1-9]/.test(text);
  return (negative ? "−" : "") + spaced + (fraction === undefined ? "" : `.${fraction}`);
}

/** The texts of an axis' ticks, all with the same number of decimals. */
export function tickTexts(ticks) {
  const largest = Math.max(...ticks.map(Math.abs));
  if (largest === 0) return ticks.map(() => "0");
  const step = ticks.length > 1 ? Math.min(...ticks.slice(1).map((t, k) => Math.abs(t - ticks[k]))) : largest;
  if (largest >= 1e6 || largest < 1e-3) {
    const digits = Math.max(0, Math.min(6, Math.round(Math.log10(largest / step) + 0.5)));
    return ticks.map((t) => (Math.abs(t) < step * 1e-6 ? "0" : scientific(t, digits)));
  }
  const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
  return ticks.map((t) => grouped(t.toFixed(decimals)));
}

/** A value with about `digits` significant digits, zero below `resolution`, and no digits far below it. */
export function valueText(value, digits = 4, resolution = 0) {
  if (value === null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < resolution || size === 0) return "0";
  const exponent = Math.floor(Math.log10(size));
  const finest = resolution > 0 ? Math.max(0, Math.round(-Math.log10(resolution))) : 20;
  if (size >= 1e6 || size < 1e-4) return scientific(value, digits - 1);
  return grouped(value.toFixed(Math.max(0, Math.min(finest, digits - 1 - exponent))));
}
