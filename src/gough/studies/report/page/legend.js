// Legends: a button for each series, which shows or hides it.

/** Buttons for series (label, colour). A click toggles one; a double click shows it alone. */
function createLegend(host, state, entries) {
  const buttons = entries.map(({ label, colour }, k) => {
    const swatch = element("i");
    swatch.style.background = `var(${colour})`;
    const button = element("button", { type: "button", className: "legend-entry", title: "Click: show or hide. Double click: only this one, or all." },
      swatch, element("span", { text: label }));
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
