// Drawing into an SVG file by the same calls as on a canvas, as many of them as charts make.

const SPACE = "http://www.w3.org/2000/svg";
const ANCHORS = { left: "start", center: "middle", right: "end" };
const LOWER = { alphabetic: 0, middle: 0.35, top: 0.8 }; // where the baseline is below y, in heights of the font
const FONT = /^(?:(\d+) )?([\d.]+)px (.+)$/;
const short = (x) => Number(x.toFixed(2));

/** A context like a canvas' of such a size [pixels], with `svgText` that gives the file's text. */
export function createSvgContext(width, height) {
  const root = node("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  const measuring = document.createElement("canvas").getContext("2d");
  const saved = [];
  let group = root, path = [], box = null, clips = 0, dash = [];
  const add = (name, attributes) => group.appendChild(node(name, attributes));
  const faded = () => (context.globalAlpha < 1 ? { opacity: context.globalAlpha } : {});
  const context = {
    font: "11px sans-serif", fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, lineJoin: "miter", globalAlpha: 1, textAlign: "left", textBaseline: "alphabetic",
    save() { saved.push({ style: { ...context }, group, dash }); },
    restore() { ({ group, dash } = saved.at(-1)); Object.assign(context, saved.pop().style); },
    translate(x, y) { group = add("g", { transform: `translate(${x} ${y})` }); },
    rotate(angle) { group = add("g", { transform: `rotate(${short(angle * 180 / Math.PI)})` }); },
    beginPath() { path = []; },
    moveTo(x, y) { path.push(`M${short(x)} ${short(y)}`); },
    lineTo(x, y) { path.push(`L${short(x)} ${short(y)}`); },
    arc(x, y, r) { path.push(`M${short(x - r)} ${short(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`); },
    rect(x, y, w, h) { box = { x: short(x), y: short(y), width: short(w), height: short(h) }; },
    clip() {
      clips += 1;
      add("clipPath", { id: `clip-${clips}` }).append(node("rect", box));
      group = add("g", { "clip-path": `url(#clip-${clips})` });
    },
    stroke() {
      const { strokeStyle: stroke, lineWidth, lineJoin } = context;
      add("path", { d: path.join(""), fill: "none", stroke, "stroke-width": lineWidth, "stroke-linejoin": lineJoin, ...(dash.length ? { "stroke-dasharray": dash.join(" ") } : {}), ...faded() });
    },
    fill() { add("path", { d: path.join(""), fill: context.fillStyle, ...faded() }); },
    fillRect(x, y, w, h) { add("rect", { x: short(x), y: short(y), width: short(w), height: short(h), fill: context.fillStyle, ...faded() }); },
    setLineDash(lengths) { dash = lengths; },
    measureText(text) { measuring.font = context.font; return measuring.measureText(text); },
    fillText(text, x, y) {
      const [, weight = 400, size, family] = FONT.exec(context.font);
      const written = add("text", {
        x: short(x), y: short(y + LOWER[context.textBaseline] * size), fill: context.fillStyle, "text-anchor": ANCHORS[context.textAlign],
        "font-size": size, "font-weight": weight, "font-family": family.replaceAll('"', "'"), ...faded(),
      });
      written.textContent = text;
    },
    svgText: () => new XMLSerializer().serializeToString(root),
  };
  return context;
}

function node(name, attributes) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
