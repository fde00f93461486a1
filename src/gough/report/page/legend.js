// Legends: a button for each series, which shows or hides it.

/** A patch of a series' colour, striped where its line is dashed. */
function swatch(colour, dash = []) {
  const patch = element("i");
  const stripes = `repeating-linear-gradient(90deg, var(${colour}) 0 3px, transparent 3px 5px)`;
  patch.style.background = dash.length ? stripes : `var(${colour})`;
  return patch;
}

/** Buttons for series (label, colour, dash). A click toggles one; a double click shows it alone. */
function createLegend(host, state, entries) {
  const buttons = entries.map(({ label, colour, dash }, k) => {
    const button = element("button", { type: "button", className: "legend-entry", title: "Click: show or hide. Double click: only this one, or all." },
      swatch(colour, dash), element("span", { text: label }));
    button.addEventListener("click", () => {
      const hidden = new Set(state.hidden);
      if (!hidden.delete(k)) hidden.add(k);
      state.set({ hidden });
    });
    button.addEventListener("dblclick", () => {
      const others = entries.map((_, n) => n).filter((n) => n !== k);
      const alone = !state.hidden.has(k) && others.every((n) => state.hidden.has(n));
      state.set({ hidden: new Set(alone ? [] : others) });
    });
    return button;
  });
  const refresh = () => buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(!state.hidden.has(k))));
  state.listen((names) => { if (names.has("hidden")) refresh(); });
  refresh();
  host.append(...buttons);
}

/** The same for paper, where nothing is pressed: the series that are shown. */
function paperLegend(state, entries) {
  const items = entries.map(({ label, colour }) => element("span", { className: "legend-name" }, swatch(colour), label));
  const host = element("div", { className: "legend for-paper" });
  const refresh = () => host.replaceChildren(...items.filter((_, k) => !state.hidden.has(k)));
  state.listen((names) => { if (names.has("hidden")) refresh(); });
  refresh();
  return host;
}
