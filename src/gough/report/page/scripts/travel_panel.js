// Travel from here: bars of how far each axis goes either way.

import { atNextPicture, element } from "./dom.js";
import { valueText } from "./numbers.js";
import { createPanel } from "./panel.js";

export function createTravelPanel(bench) {
  const { data } = bench, host = element("div"), note = element("p", { className: "note" });
  let rows = [];
  const refresh = atNextPicture(() => {
    const { travels, problem } = bench.travel();
    if (travels.map(({ name }) => name).join() !== rows.map(({ name }) => name).join()) {
      rows = travels.map(({ name }) => axisRow(name));
      host.replaceChildren(...rows.map(({ row }) => row));
    }
    note.textContent = problem;
    const longest = (turns) => Math.max(...travels.filter((one) => one.turns === turns).flatMap(({ ways }) => ways.map(({ distance }) => distance)));
    travels.forEach(({ turns, ways }, k) => ways.forEach(({ distance, ended }, side) => {
      const { factor, unit } = bench.units[turns ? "rad" : "m"];
      const { bars, texts, row } = rows[k];
      bars[side].style.width = `${50 * distance / (longest(turns) || 1)}%`;
      bars[side].title = endText(data.limits, ended);
      texts[side].textContent = ended < 0 ? "no limit" : `${side ? "+" : "−"}${valueText(distance * factor, 4)} ${unit}`;
      texts[side].title = endText(data.limits, ended);
      row.classList.toggle("alert", distance === 0);
    }));
  });
  bench.listen(refresh);
  return createPanel("Travel from here", host, note);
}

function axisRow(name) {
  const bars = [element("i"), element("i")], texts = [element("span"), element("span")];
  const row = element("div", { className: "travel" }, element("b", { text: name }), texts[0], element("div", { className: "ways" }, ...bars), texts[1]);
  return { name, row, bars, texts };
}

function endText(limits, ended) {
  if (ended === null) return "limited by the legs' reach";
  if (ended < 0) return "not limited";
  const { family, of } = limits[ended];
  return `limited by the ${family}${of.length ? ` of ${of.join(" and ")}` : ""}`;
}
