// Sharing: everything that was set as a link or a file, pictures of the machine, and a film of its way.

import { checkedNumber } from "./checking.js";
import { createButton } from "./controls.js";
import { element } from "./dom.js";
import { canFilm, filmOf } from "./film.js";
import { notify } from "./notice.js";
import { createPanel } from "./panel.js";
import { linkText, readLink, readState, stateText } from "./saved_state.js";
import { nearest } from "./series.js";
import { onGround, openText, saveFile, savePicture } from "./saving.js";

const MARK = "#state=", AT_TIME = "#time=";

export function createSharePanel(bench) {
  const { data, view } = bench, first = data.parameters;
  const said = element("p", { className: "note" });
  said.setAttribute("role", "status");
  const take = (text) => {
    const { state, units } = readState(text, bench, first);
    bench.units.choose(units);
    bench.change(state);
  };
  const refused = (what) => (message) => notify(`${what} was not loaded: ${message}.`);
  const takeTime = (text) => {
    const time = bench.along()?.time ?? [0];
    bench.goToTime(time[nearest(time, checkedNumber(text === "" ? NaN : Number(text), "time", time[0], time.at(-1)))]);
  };
  const links = { [MARK]: (text) => take(readLink(text)), [AT_TIME]: takeTime };
  const takeLink = () => {
    const mark = Object.keys(links).find((one) => location.hash.startsWith(one));
    if (!mark) return;
    try { links[mark](location.hash.slice(mark.length)); } catch (error) { refused("The link")(error.message); }
  };
  const copy = async () => {
    try {
      window.history.replaceState(null, "", MARK + linkText(stateText(bench, first)));
    } catch {
      said.textContent = "Inside another page there is no link: save the state as a file.";
      return;
    }
    try {
      await navigator.clipboard.writeText(location.href);
      said.textContent = "The link to this page with all settings was copied.";
    } catch {
      said.textContent = "The link is in the address bar: this browser does not let pages copy.";
    }
  };
  let filming = false;
  const film = createButton("Video of the motion", async () => {
    filming = film.disabled = true;
    said.textContent = "Recording the motion once …";
    const { type, content } = await filmOf(bench);
    saveFile(`${data.name}.${type}`, content, `video/${type}`);
    said.textContent = "";
    filming = film.disabled = false;
  }, { title: "The motion as WebM" });
  bench.listen(() => { film.disabled = filming || bench.along() === null || !canFilm(view); });
  if (!canFilm(view)) film.textContent = "No video in this browser";
  window.addEventListener("hashchange", takeLink);
  takeLink();
  return createPanel("Share", element("div", { className: "buttons" },
    createButton("Copy a link", copy), createButton("Save the state", () => saveFile(`${data.name} state.json`, stateText(bench, first), "application/json")),
    createButton("Open a state …", () => openText(".json", take, refused("The file")), {}),
    createButton("Picture of the view", () => savePicture(`${data.name}.png`, onGround(view.canvas).copy), { title: "PNG", disabled: !view.canvas }), film), said);
}
