// Travel from here: bars of how far each axis goes either way.

import { atNextPicture, element } from "./dom.js";
import { valueText } from "./numbers.js";
import { createPanel } from "./panel.js";
import { travelFrom } from "./travel.js";

export function createTravelPanel(bench) {
  const { data, history } = bench;
  const rows = data.freedoms.map(({ name }) => {
    const bars = [element("i"), element("i")], texts = [element("span"), element("span")];
    const row = element("div", { className: "travel" }, element("b", { text: name }), texts[0], element("div", { className: "ways" }, ...bars), texts[1]);
    return { row, bars, texts };
  });
  const refresh = atNextPicture(() => {
    const found = travelFrom(bench, history.now, data.freedoms);
    const longest = (turns) => Math.max(...found.filter((one) => one.turns === turns).flatMap(({ ways }) => ways.map(({ distance }) => distance)));
    found.forEach(({ turns, ways }, k) => ways.forEach(({ distance, ended }, side) => {
      const { factor, unit } = bench.units[turns ? "rad" : "m"];
      const { bars, texts, row } = rows[k];
      bars[side].style.width = `${50 * distance / (longest(turns) || 1)}%`;
      bars[side].title = endText(data.limits, ended);
      texts[side].textContent = `${side ? "+" : "−"}${valueText(distance * factor, 4)} ${unit}`;
      texts[side].title = endText(data.limits, ended);
      row.classList.toggle("alert", distance === 0);
    }));
  });
  bench.listen(refresh);
  return createPanel("Travel from here", ...rows.map(({ row }) => row));
}

function endText(limits, ended) {
  if (ended === null) return "ended because the legs do not reach farther";
  if (ended < 0) return "not ended by any limit";
  const { family, of } = limits[ended];
  return `ended by the ${family}${of.length ? ` of ${of.join(" and ")}` : ""}`;
}
