// Controls that are pressed: buttons, one choice among several, and legends that show or hide.

import { element } from "./dom.js";

/** A button with a text. */
export function createButton(text, press, properties = {}) {
  const button = element("button", { type: "button", text, ...properties });
  button.addEventListener("click", press);
  return button;
}

/**
 * A list to choose from. `choose` is told the chosen value.
 * @param {{value: string | number, text: string}[]} options
 */
export function createSelect(options, choose, properties = {}) {
  const select = element("select", properties, ...options.map(({ value, text }) => element("option", { value: String(value), text })));
  select.addEventListener("change", () => choose(select.value));
  return select;
}

/** Buttons of which one is pressed, the first at first; `choose` is told its number. */
export function createChooser(texts, choose) {
  const press = (chosen) => {
    buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === chosen)));
    choose(chosen);
  };
  const buttons = texts.map((text, k) => createButton(text, () => press(k)));
  press(0);
  return element("div", { className: "chooser" }, ...buttons);
}

/** A patch of a series' colour, striped where its line is dashed. */
export function swatch(colour, dash = []) {
  const patch = element("i");
  const stripes = `repeating-linear-gradient(90deg, var(${colour}) 0 3px, transparent 3px 5px)`;
  patch.style.background = dash.length ? stripes : `var(${colour})`;
  return patch;
}

/**
 * A button for each series. A click shows or hides it, a double click shows it alone.
 * @param {{hidden: Set<number>}} state has the numbers of the hidden series
 * @param {{label: string, colour: string, dash?: number[]}[]} entries
 */
export function createLegend(state, entries) {
  const toggle = (k) => {
    const hidden = new Set(state.hidden);
    if (!hidden.delete(k)) hidden.add(k);
    state.set({ hidden });
  };
  const alone = (k) => {
    const others = entries.map((_, n) => n).filter((n) => n !== k);
    const isAlone = !state.hidden.has(k) && others.every((n) => state.hidden.has(n));
    state.set({ hidden: new Set(isAlone ? [] : others) });
  };
  const buttons = entries.map(({ label, colour, dash }, k) => {
    const title = "Click: show or hide. Double click: only this one, or all.";
    const button = createButton("", () => toggle(k), { className: "legend-entry", title });
    button.append(swatch(colour, dash), element("span", { text: label }));
    button.addEventListener("dblclick", () => alone(k));
    return button;
  });
  whileHidden(state, () => buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(!state.hidden.has(k)))));
  return element("span", { className: "legend" }, ...buttons);
}

/** The same for paper, where nothing is pressed: the series that are shown. */
export function paperLegend(state, entries) {
  const items = entries.map(({ label, colour }) => element("span", { className: "legend-name" }, swatch(colour), label));
  const host = element("div", { className: "legend for-paper" });
  whileHidden(state, () => host.replaceChildren(...items.filter((_, k) => !state.hidden.has(k))));
  return host;
}

function whileHidden(state, refresh) {
  state.listen((names) => { if (names.has("hidden")) refresh(); });
  refresh();
}
