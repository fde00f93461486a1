// How the page looks: light or dark as the reader likes, or as paper, with all drawn and unfolded.

const root = document.documentElement;
const darkTheme = window.matchMedia("(prefers-color-scheme: dark)");
const drawings = [];
let folded = [];

if (window.location.hash === "#one-page") root.classList.add("one-page"); // to be printed on one sheet

/** For those who want little motion, its `matches` is true. */
export const littleMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Which colours a picture has: those of the reader's theme, or of paper. */
export function themeName() {
  return darkTheme.matches && !root.classList.contains("on-paper") ? "dark" : "light";
}

/** Have a picture drawn anew whenever the page gets another look. */
export function onNewLook(draw) {
  drawings.push(draw);
}

/** Have something drawn in the colours of paper. */
export function asOnPaper(draw) {
  root.classList.add("on-paper");
  draw();
  root.classList.remove("on-paper");
}

const drawAll = () => drawings.forEach((draw) => draw());

darkTheme.addEventListener("change", drawAll);
window.addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details")].filter((part) => !part.open);
  for (const part of folded) part.open = true;
  root.classList.add("on-paper");
  drawAll();
});
window.addEventListener("afterprint", () => {
  for (const part of folded) part.open = false;
  root.classList.remove("on-paper");
  drawAll();
});
