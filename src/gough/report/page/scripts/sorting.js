// Tables that are sorted by a click on a heading.

/** The order of cells by their values: numbers by size, missing ones last, words by the alphabet. */
export function compareCells(a, b, descending) {
  const [x, y] = [Number(a), Number(b)];
  const numbers = a !== "" && b !== "" && !Number.isNaN(x) && !Number.isNaN(y);
  if (a === "" || b === "") return (a === "") - (b === "");
  const order = numbers ? x - y : a.localeCompare(b);
  return descending ? -order : order;
}

/** Make the headings of a table sort its rows by the cells' data-value. */
export function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.querySelector("button")?.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const value = (row) => row.cells[column].dataset.value ?? "";
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => compareCells(value(a), value(b), descending));
      table.tBodies[0].append(...rows);
    });
  });
}
