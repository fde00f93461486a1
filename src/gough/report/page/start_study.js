// The page of one study: charts, the machine in motion, and the player joined by one time axis.

const data = JSON.parse(document.getElementById("data").textContent);
const [x] = unpack(data.time);
const content = { x, marks: data.singular_times, quantities: unpackQuantities(data.quantities) };
const axis = createAxis({ label: "time", unit: "s", low: x[0], high: x[x.length - 1] });
const part = (id) => document.getElementById(id);

for (const chart of data.beside) part("beside").append(makeCard(axis, chart, content));
for (const section of data.sections) {
  const charts = element("div", { className: "charts" }, ...section.charts.map((chart) => makeCard(axis, chart, content)));
  part("charts").append(element("section", { id: section.id }, element("h2", { text: section.title }), charts));
}

const machine = {
  ...data.machine,
  times: unpack(data.machine.times)[0], pose: unpack(data.machine.pose), force: unpack(data.machine.force),
  resolution: data.machine.force.step,
};
const scene = createMachine(part("scene"), axis, machine);
part("nearer").addEventListener("click", () => scene.zoom(1.2));
part("farther").addEventListener("click", () => scene.zoom(1 / 1.2));
part("reset-view").addEventListener("click", scene.reset);
createForceScale(part("force-scale"), machine.limit);
createForceCells(part("force-cells"), axis, machine);
createPlayer(part("player"), axis, data.singular_times);
createLegend(part("leg-legend"), axis, machine.force.map((_, k) => ({ label: `${k + 1}`, colour: seriesColour(k) })));

const unzoom = part("unzoom");
unzoom.addEventListener("click", () => showWindow(axis, ...axis.full));
axis.listen((names) => { if (names.has("window")) unzoom.disabled = axis.window === axis.full; });
for (const jump of document.querySelectorAll("[data-time]")) {
  jump.addEventListener("click", () => axis.set({ cursor: Number(jump.dataset.time), pointed: null }));
}
