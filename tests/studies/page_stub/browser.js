// A browser for tests: pictures, sizes and media change when the test says so, and not otherwise.

const QUERIES = ["(prefers-color-scheme: dark)", "(prefers-reduced-motion: reduce)"];
const NARROW = 980; // [pixels] below which the style sheet puts charts one below the other

const browser = {
  width: 1366, left: 20, now: 0, tellingSizes: false, everythingOnScreen: false,
  complaints: [], printing: { beforeprint: [], afterprint: [] }, callbacks: new Map(), requests: 0, sizes: [], sights: [], media: {}, colours: {},

  /** There is no layout here: every chart has this size, and the machine is higher. */
  sizeOf(element) {
    const width = this.width > NARROW ? this.width / 2 - 40 : this.width - 40;
    return { width, height: element.id === "scene" ? 440 : 230 };
  },
  styleValue(name) {
    const [light, dark] = this.colours;
    if (!(name in light)) throw new Error(`the style sheet has no ${name}`);
    return this.media[QUERIES[0]].matches && !documentRoot.classList.contains("on-paper") ? dark[name] ?? light[name] : light[name];
  },
  onScreen(element) { return this.everythingOnScreen || element.closest(".stage") !== null; },
};

/** The named values of the style sheet, light and dark. */
function readColours(css) {
  const values = (text) => Object.fromEntries([...text.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value]));
  const dark = css.match(/@media screen and \(prefers-color-scheme: dark\) \{\s*:root:not\(\.on-paper\) \{([^}]*)\}/);
  return [values(css.match(/:root \{([^}]*)\}/)[1]), values(dark[1])];
}

class Observer {
  constructor(list, callback, fields) { this[inside] = { list, callback, fields }; }
  observe(element) { const { list, callback } = this[inside]; list.push({ element, callback, told: null }); }
}
class Sizes extends Observer { constructor(callback) { super(browser.sizes, callback); return guarded(this, "ResizeObserver"); } }
class Sights extends Observer { constructor(callback) { super(browser.sights, callback); return guarded(this, "IntersectionObserver"); } }

function tellChanges(list, valueOf, entryOf) {
  for (const watch of list) {
    const value = JSON.stringify(valueOf(watch.element));
    if (value === watch.told) continue;
    watch.told = value;
    watch.callback([guarded({ target: watch.element, ...entryOf(watch.element) }, "entry")]);
  }
}

/** One picture: what was asked for it, then sizes, then what came into sight. */
function picture(milliseconds) {
  browser.now += milliseconds;
  const asked = [...browser.callbacks.values()];
  browser.callbacks.clear();
  for (const callback of asked) callback(browser.now);
  browser.tellingSizes = true;
  tellChanges(browser.sizes, (element) => browser.sizeOf(element), () => ({}));
  browser.tellingSizes = false;
  tellChanges(browser.sights, (e) => browser.onScreen(e), (e) => ({ isIntersecting: browser.onScreen(e) }));
}

function tell(element, type, facts) {
  if (element[inside].tag === "button" && element.disabled) throw new Error("a disabled button was pressed");
  const event = guarded({ type, target: element, defaultPrevented: false, preventDefault() { this.defaultPrevented = true; },
    ...(type.startsWith("pointer") ? { clientX: 0, clientY: 0, button: 0, pointerId: 1 } : {}),
    ...(type === "keydown" ? { key: "", shiftKey: false, ctrlKey: false } : {}),
    ...(type === "wheel" ? { deltaY: 0, ctrlKey: false } : {}), ...facts }, "event");
  const around = [];
  for (let at = element; at; at = STAY.includes(type) ? null : at[inside].parent) around.push(at);
  if (!STAY.includes(type)) around.push(document);
  for (const at of around) for (const entry of at[inside].listeners) if (entry.type === type) entry.listener(event);
  return event.defaultPrevented;
}

/** Build the document from [tag, attributes, children], running each script where it stands. */
function build(node, parent) {
  const [tag, attributes, children] = node;
  const element = makeElement(tag);
  for (const [name, value] of Object.entries(attributes)) element[inside].attributes.set(name, value);
  if (parent) parent.append(element); else documentRoot = element;
  for (const child of children) {
    if (typeof child === "string") element[inside].nodes.push(child); else build(child, element);
  }
  if (tag === "style") browser.colours = readColours(element.textContent);
  if (tag === "script" && !attributes.type) (0, eval)(element.textContent);
}

let documentRoot = null;
class PageDocument extends Target {
  constructor() { super(); return guarded(this, "document"); }
  get documentElement() { return documentRoot; }
  getElementById(id) { return descendants(documentRoot).find((element) => element.id === id) ?? null; }
  querySelectorAll(selector) { return documentRoot.querySelectorAll(selector); }
  createElement(tag) { return makeElement(tag); }
}

for (const query of QUERIES) {
  browser.media[query] = { matches: false, media: query, listeners: [], addEventListener(_, listener) { this.listeners.push(listener); } };
}
const complain = (kind) => (...words) => { browser.complaints.push(`${kind}: ${words.join(" ")}`); };
const document = new PageDocument();
const globals = {
  document,
  console: guarded(Object.fromEntries(["log", "info", "warn", "error"].map((kind) => [kind, complain(kind)])), "console"),
  requestAnimationFrame(callback) { browser.requests += 1; browser.callbacks.set(browser.requests, callback); return browser.requests; },
  cancelAnimationFrame(request) { browser.callbacks.delete(request); },
  ResizeObserver: Sizes,
  IntersectionObserver: Sights,
  getComputedStyle(element) {
    if (element !== documentRoot) throw new Error("only the root's style is known here");
    return guarded({ getPropertyValue: (name) => ` ${browser.styleValue(name)}` }, "style");
  },
  window: guarded({
    devicePixelRatio: 2,
    addEventListener(type, listener) {
      if (!(type in browser.printing)) throw new Error(`no event ${type} of the window here`);
      browser.printing[type].push(listener);
    },
    matchMedia(query) {
      if (!QUERIES.includes(query)) throw new Error(`media ${query} is not known here`);
      return guarded(browser.media[query], "media query");
    },
  }, "window"),
};
Object.assign(globalThis, globals);

/** What the test can do with the page; elements are found by the number of a selector's match. */
globalThis.test = {
  build: (tree) => build(tree, null),
  complaints: () => browser.complaints,
  pictures(count, milliseconds = 1000 / 60) { for (let k = 0; k < count; k += 1) picture(milliseconds); },
  resize(width) { browser.width = width; },
  beforePrint() { for (const listener of browser.printing.beforeprint) listener(); },
  afterPrint() { for (const listener of browser.printing.afterprint) listener(); },
  scrollThrough() { browser.everythingOnScreen = true; },
  setMedia(query, matches) { const media = browser.media[query]; media.matches = matches; for (const listener of media.listeners) listener(); },
  count: (selector) => document.querySelectorAll(selector).length,
  tell: (selector, k, type, facts) => tell(document.querySelectorAll(selector)[k], type, facts ?? {}),
  set: (selector, k, property, value) => { document.querySelectorAll(selector)[k][property] = value; },
  get: (selector, k, property) => document.querySelectorAll(selector)[k][property],
  texts: (selector) => document.querySelectorAll(selector).map((element) => element.textContent),
  attributes: (selector, name) => document.querySelectorAll(selector).map((element) => element.getAttribute(name)),
  backgrounds: (selector) => document.querySelectorAll(selector).map((element) => element.style.background),
  drawings: (selector) => document.querySelectorAll(selector).map((canvas) => canvas.getContext("2d")[inside].drawings),
  colour: (name) => browser.styleValue(name),
  size: (selector, k) => browser.sizeOf(document.querySelectorAll(selector)[k]),
};
