// The page on paper: in light colours, as wide as a sheet, with everything drawn and unfolded.

const root = document.documentElement;
const darkTheme = window.matchMedia("(prefers-color-scheme: dark)");
const drawings = [];
let folded = [];

/** Which colours a picture has: those of the reader's theme, or of paper. */
function themeName() {
  return darkTheme.matches && !root.classList.contains("on-paper") ? "dark" : "light";
}

/** Have a picture drawn anew whenever the page gets another look. */
function onNewLook(draw) {
  drawings.push(draw);
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
