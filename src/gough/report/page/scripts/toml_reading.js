// Reading the TOML that Gough writes: tables, lists, texts in one line, numbers, true and false.

const SPACE = /(?:[ \t\r\n]|#[^\n]*)*/y;
const NUMBER = /[+-]?(?:(?:inf|nan)\b|\d[\d_]*(?:\.[\d_]+)?(?:[eE][+-]?\d+)?(?![\w:-]))/y;
const BARE = /[\w-]+/y;
const BASIC = /"(?:[^"\\\n]|\\.)*"/y;
const LITERAL = /'[^'\n]*'/y;
const DEEPEST = 50;

/** The tables of a text; an Error says in which line something is not understood. */
export function readToml(text) {
  const root = Object.create(null);
  let place = 0, table = root;
  const line = () => text.slice(0, place).split("\n").length;
  const refuse = (what = "not understood") => { throw new Error(`line ${line()}: ${what}: ${text.slice(place, place + 40).split("\n")[0] || "the end"}`); };
  const match = (pattern) => {
    pattern.lastIndex = place;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) place += found.length;
    return found;
  };
  const skip = (word) => text.startsWith(word, place) && (place += word.length) > 0;
  const expect = (word) => { if (!skip(word)) refuse(`expected ${word}`); };

  function string() {
    const literal = match(LITERAL);
    if (literal !== undefined) return literal.slice(1, -1);
    const basic = match(BASIC);
    if (basic === undefined) return undefined;
    if (basic === '""' && text[place] === '"') refuse("texts of many lines are not read");
    const plain = basic.replace(/\\U([0-9a-fA-F]{8})/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
    try { return JSON.parse(plain.replaceAll("\t", "\\t")); } catch { return refuse(`the text ${basic} is not understood`); }
  }
  function key() {
    const parts = [];
    do {
      match(SPACE);
      parts.push(string() ?? match(BARE) ?? refuse("a name was expected"));
      match(SPACE);
    } while (skip("."));
    return parts;
  }
  function value(depth) {
    if (depth > DEEPEST) refuse("too deep");
    const text_ = string();
    if (text_ !== undefined) return text_;
    if (skip("true")) return true;
    if (skip("false")) return false;
    if (skip("[")) return items("]", () => value(depth + 1));
    if (skip("{")) {
      const made = Object.create(null);
      items("}", () => entry(made, depth + 1));
      return made;
    }
    const number = match(NUMBER);
    return number === undefined ? refuse() : Number(number.replaceAll("_", "").replace("inf", "Infinity").replace("nan", "NaN"));
  }
  function items(end, read) {
    const found = [];
    for (match(SPACE); !skip(end); match(SPACE)) {
      found.push(read());
      match(SPACE);
      if (!skip(",") && text[place] !== end) refuse(`expected , or ${end}`);
    }
    return found;
  }
  function entry(into, depth) {
    const path = key(), last = path.pop();
    const owner = path.reduce((one, name) => inside(one, name), into);
    expect("=");
    match(SPACE);
    if (last in owner) refuse(`${last} is given twice`);
    owner[last] = value(depth);
  }
  /** The table of a name in another; of a list of tables the last. */
  function inside(owner, name) {
    owner[name] ??= Object.create(null);
    const found = Array.isArray(owner[name]) ? owner[name].at(-1) : owner[name];
    return found !== null && typeof found === "object" ? found : refuse(`${name} is not a table`);
  }
  function header(many) {
    const path = key(), last = path.pop(), owner = path.reduce(inside, root);
    expect(many ? "]]" : "]");
    if (!many) { table = inside(owner, last); return; }
    owner[last] ??= [];
    if (!Array.isArray(owner[last])) refuse(`${last} is not a list`);
    owner[last].push(Object.create(null));
    table = owner[last].at(-1);
  }

  for (match(SPACE); place < text.length; match(SPACE)) {
    if (skip("[[")) header(true); else if (skip("[")) header(false); else entry(table, 0);
  }
  return root;
}
