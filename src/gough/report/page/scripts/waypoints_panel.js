// The waypoints: a list that is made from poses, put in order, timed, and judged.

import { createButton, createSelect } from "./controls.js";
import { element } from "./dom.js";
import { createNumber } from "./fields.js";
import { notify } from "./notice.js";
import { createPanel } from "./panel.js";
import { poseWords } from "./pose_words.js";
import { openText, saveFile } from "./saving.js";
import { readStudy, studyText } from "./study_file.js";
import { SMOOTH, USUAL_SECONDS } from "./way.js";
import { againstPoint, againstSamples, againstStretch } from "./way_judgement.js";

const PROFILE_WORDS = {
  quintic: "stops, minimum jerk", cycloidal: "stops, cycloid", cosine: "stops, half a cosine",
  trapezoidal: "stops, trapezoid", "s-curve": "stops, S-curve", [SMOOTH]: "smooth, no stops",
};
const SAMPLED = "sampled"; // the choice that is no profile

export function createWaypointsPanel(bench) {
  const { data, history } = bench, first = data.parameters;
  const way = () => history.now.way;
  const set = (changes) => bench.change({ way: { ...way(), ...changes } });
  const list = element("ol", { className: "waypoints" }), rows = [];
  const none = element("p", { className: "note", text: "Move the machine, add its pose, and repeat: the path between the poses is shown, checked against limits and played." });
  const add = createButton("Add this pose", () => set({ points: [...way().points, { pose: history.now.pose, seconds: USUAL_SECONDS }] }));
  const words = data.study?.samples ? { ...PROFILE_WORDS, [SAMPLED]: "the motion of the study" } : PROFILE_WORDS;
  const choose = (value) => set(value === SAMPLED ? { sampled: true } : { sampled: false, profile: value });
  const profile = createSelect(Object.entries(words).map(([value, text]) => ({ value, text })), choose, { ariaLabel: "Motion profile" });
  const judged = element("p", { className: "judged" });
  const save = createButton("Export study.toml", () => saveFile("study.toml", studyText(bench, first), "application/toml"), { title: "For gough run" });
  const open = createButton("Import …", () => openText(".toml", (text) => bench.change(readStudy(text, bench, first)), notify), { title: "A study.toml that was exported here" });

  let seen = [];
  bench.listen(() => {
    const { load, frames, parameters } = history.now, { m, rad, order } = bench.units;
    const now = [way(), load, frames, parameters, m, rad, order];
    if (now.every((one, k) => one === seen[k])) return;
    seen = now;
    const { points, sampled } = way(), count = points.length;
    while (rows.length < count) rows.push(createRow({ bench, way, set, list }, rows.length));
    rows.length = count;
    list.replaceChildren(...rows.map(({ item }) => item));
    for (const { refresh } of rows) refresh();
    list.hidden = sampled;
    judged.hidden = !sampled;
    none.hidden = sampled || count > 0;
    add.disabled = sampled || count >= data.ways.points;
    save.disabled = sampled || count < 2;
    profile.value = sampled ? SAMPLED : way().profile;
    if (sampled) tell(judged, againstSamples(bench, bench.along()), "✓ The motion of the study is within all limits.");
  });
  return createPanel("Waypoints", none, judged, list, element("div", { className: "buttons" }, add, profile, save, open));
}

function createRow({ bench, way, set, list }, k) {
  const { history } = bench, points = () => way().points;
  const move = (to) => { if (to >= 0 && to < points().length) set({ points: moved(points(), k, to) }); };
  const change = (changes) => set({ points: points().map((point, n) => (n === k ? { ...point, ...changes } : point)) });
  const number = k + 1, words = element("span", { className: "pose-words" });
  const button = (text, label, press) => createButton(text, press, { ariaLabel: `${label} waypoint ${number}`, title: label });
  const handle = button("⠿", "Drag to reorder", () => {});
  handle.classList.add("handle");
  dragging(handle, list, k, move);
  const buttons = [
    button("Go", "Go to", () => bench.goTo(points()[k].pose)),
    button("Set", "Take the present pose for", () => change({ pose: history.now.pose })),
    button("↑", "Earlier", () => move(k - 1)), button("↓", "Later", () => move(k + 1)),
    button("×", "Delete", () => set({ points: points().filter((_, n) => n !== k) })),
  ];
  const seconds = createNumber({
    label: "in", title: `time to waypoint ${number}`, least: bench.data.ways.seconds[0], most: bench.data.ways.seconds[1], read: () => points()[k].seconds,
    write: (value) => change({ seconds: value }), unit: () => ({ unit: "s", factor: 1 }),
  });
  const [leading, here] = [element("p", { className: "judged" }), element("p", { className: "judged" })];
  const before = element("div", { className: "stretch" }, seconds.row, leading);
  const item = element("li", {}, before, element("div", { className: "waypoint" }, handle, element("b", { text: `P${number}` }), words, ...buttons), here);

  function refresh() {
    const found = bench.along();
    words.textContent = poseWords(bench, points()[k].pose);
    before.hidden = k === 0;
    buttons[2].disabled = k === 0;
    buttons[3].disabled = k === points().length - 1;
    tell(here, againstPoint(bench, points()[k], history.now.load), "");
    item.classList.toggle("good", here.textContent === "");
    if (k > 0) tell(leading, againstStretch(bench, way(), found, k), "✓ within all limits");
    seconds.refresh();
  }
  return { item, refresh };
}

function tell(host, against, otherwise) {
  host.textContent = against.length ? against.join(" ") : otherwise;
  host.classList.toggle("alert", against.length > 0);
}

/** The list with one of its items at another place. */
function moved(items, from, to) {
  const others = items.filter((_, n) => n !== from);
  return [...others.slice(0, to), items[from], ...others.slice(to)];
}

/** Have a handle that is dragged up or down move its item to where the pointer is. */
function dragging(handle, list, k, move) {
  let last = null;
  handle.addEventListener("pointerdown", (event) => { last = k; handle.setPointerCapture(event.pointerId); });
  handle.addEventListener("pointermove", ({ clientY }) => {
    if (last === null) return;
    const over = [...list.children].findIndex((item) => clientY < item.getBoundingClientRect().bottom);
    const to = over < 0 ? list.children.length - 1 : over;
    list.children[last].classList.remove("target");
    list.children[to].classList.add("target");
    last = to;
  });
  for (const name of ["pointerup", "pointercancel"]) {
    handle.addEventListener(name, () => {
      if (last === null) return;
      list.children[last].classList.remove("target");
      if (name === "pointerup" && last !== k) move(last);
      last = null;
    });
  }
}
