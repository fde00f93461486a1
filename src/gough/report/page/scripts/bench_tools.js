// Undo and redo, home, the pose as text, and units.

import { createButton, createSelect } from "./controls.js";

export function createTools(host, bench) {
  const { history, units, data } = bench;
  const undo = createButton("Undo", history.undo, { title: "Ctrl+Z" });
  const redo = createButton("Redo", history.redo, { title: "Ctrl+Shift+Z" });
  const copy = createButton("Copy pose", () => navigator.clipboard.writeText(poseText(history.now.pose)), {
    title: "x, y, z in m and the quaternion w, x, y, z, as Python takes it",
  });
  const turns = data.degrees_of_freedom.some((freedom) => freedom.turns);
  const select = ({ label, options, choose, chosen }) => {
    const made = createSelect(options, choose, { ariaLabel: label });
    bench.listen(() => { made.value = String(chosen()); });
    return made;
  };
  host.append(
    undo, redo, createButton("Home", () => bench.goTo(data.home)), copy,
    ...units.choices.map(select), ...(turns ? [select(units.orders)] : []),
  );
  bench.listen(() => {
    undo.disabled = !history.canUndo;
    redo.disabled = !history.canRedo;
  });
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.type === "text") return;
    event.preventDefault();
    (event.shiftKey ? history.redo : history.undo)();
  });
}

/** A pose as Python takes it. */
const poseText = (pose) => `[${pose.join(", ")}]`;
