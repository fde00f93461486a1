// What joints carry and what motors need, as tables: a row for each.

import { element } from "./dom.js";
import { valueText } from "./numbers.js";
import { isBeyond, stated } from "./overload.js";

const NO_DRIVE = "–"; // of an actuator for which the robot file states none
const UNKNOWN = "The motion does not determine it: the machine is overconstrained";

/** The motors' torques and currents; null where the machine has no drives. */
export function motorTable(bench) {
  const { actuators } = bench.data;
  if (!bench.now.current) return null;
  const columns = [["Motor torque", "N\u202fm"], ["Motor current", "A"]];
  return followedTable(bench, "Motors", actuators.map(({ title }) => title), columns, ({ torque, current }) => actuators.map(({ max_current: most }, k) => [
    { text: Number.isFinite(torque[k]) ? figure(torque[k]) : NO_DRIVE },
    { text: Number.isFinite(current[k]) ? figure(current[k]) : NO_DRIVE, alert: isBeyond(current[k], most), title: most === null ? "no maximum current is stated" : `at most ${stated(most)} A` },
  ]));
}

/** How large the forces and moments in all joints are. */
export function reactionTable(bench) {
  const { of, quantities } = bench.data.reactions;
  const columns = quantities.map(({ heading, unit }) => [heading, unit]);
  const cells = ({ reactions }) => of.map((_, k) => quantities.map(({ output, title, unit }) => vectorCell(title, reactions[output].subarray(3 * k, 3 * k + 3), unit)));
  return followedTable(bench, "Joint reactions", of, columns, cells);
}

/** The size of a vector, with its components behind it; at least so large where some are not known. */
function vectorCell(title, vector, unit) {
  const known = vector.filter(Number.isFinite), all = known.length === vector.length;
  const parts = Array.from(vector, (x, k) => `${"xyz"[k]} ${figure(x)}`).join(", ");
  const least = known.length ? `${all ? "" : "≥\u202f"}${figure(Math.hypot(...known))}` : "–";
  return { text: least, title: `${title}: ${parts} ${unit}${all ? "" : `. ${UNKNOWN}`}` };
}

const figure = (value) => valueText(Math.abs(value) < 1e-9 ? 0 : value, 4);

/** A table that can be folded, and follows every state. */
function followedTable(bench, name, rows, columns, cellsOf) {
  const cells = rows.map(() => columns.map(() => element("td")));
  const head = element("tr", {}, element("th"), ...columns.map(([text, unit]) => element("th", { scope: "col" }, text, element("small", { text: unit }))));
  const body = rows.map((text, k) => element("tr", {}, element("th", { scope: "row", text }), ...cells[k]));
  const details = element("details", {}, element("summary", { text: name }), element("div", { className: "wide" }, element("table", { className: "loads" }, element("thead", {}, head), element("tbody", {}, ...body))));
  const refresh = () => {
    if (!details.open) return;
    cellsOf(bench.now).forEach((row, k) => row.forEach(({ text, title = "", alert = false }, n) => {
      Object.assign(cells[k][n], { textContent: text, title });
      cells[k][n].classList.toggle("alert", alert);
    }));
  };
  details.addEventListener("toggle", refresh);
  bench.listen(refresh);
  return details;
}
