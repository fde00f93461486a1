// Numbers that people set: a field and a slider that say the same.

import { element } from "./dom.js";

const DIGITS = 7; // of what a field shows while nobody writes in it
const LARGEST = 1e9;

/** A number in few digits; what is zero but for rounding errors is zero. */
function shortText(value) {
  return Math.abs(value) < 1e-9 ? "0" : String(Number(value.toPrecision(DIGITS)));
}

/**
 * A named number with its unit, a field and, if it has a span, a slider.
 * @param {{label: string, title?: string, low?: number, high?: number, read: () => number,
 *   write: (value: number, passing: boolean) => void, unit: () => {factor: number, unit: string},
 *   least?: number, most?: number}} options
 *   all in SI; `unit` says how it is shown, and a slider that is dragged writes `passing` values;
 *   the ends of its span may be getters
 */
export function createNumber(options) {
  const { label, title = "", read, write, unit, least = -LARGEST, most = LARGEST } = options;
  const field = element("input", { type: "text", inputMode: "decimal", autocomplete: "off", spellcheck: false });
  const slider = options.low === undefined ? null : element("input", { type: "range", min: "0", max: "1", step: "any" });
  const name = element("span", { className: "name", text: label, title });
  const after = element("span", { className: "unit" });
  for (const input of [field, slider]) input?.setAttribute("aria-label", title || label);

  const written = () => {
    const value = Number(field.value.trim().replace("−", "-").replace(",", "."));
    const known = field.value.trim() !== "" && value >= least && value <= most;
    field.setAttribute("aria-invalid", String(!known));
    const range = [least > -LARGEST ? ` from ${least}` : "", most < LARGEST ? ` to ${most}` : ""].join("");
    field.title = known ? "" : `expected a number${range}`;
    if (known && value / unit().factor !== read()) write(value / unit().factor, false);
  };
  field.addEventListener("change", written);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") written();
    if (event.key === "Escape") { field.blur(); refresh(); }
  });
  let dragging = false;
  slider?.addEventListener("input", () => {
    write(options.low + Number(slider.value) * (options.high - options.low), dragging);
    dragging = true;
  });
  slider?.addEventListener("change", () => { dragging = false; });

  function refresh() {
    const value = read();
    const { factor, unit: word } = unit();
    after.textContent = word;
    if (document.activeElement !== field) {
      field.value = Number.isFinite(value) ? shortText(value * factor) : "";
      field.setAttribute("aria-invalid", "false");
    }
    if (slider) slider.value = String((value - options.low) / (options.high - options.low));
  }
  refresh();
  return { row: element("label", { className: "number" }, name, ...(slider ? [slider] : []), field, after), refresh };
}
