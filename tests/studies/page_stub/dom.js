// A document for tests: the part of the DOM that reports use. Whatever else is used throws.

const inside = Symbol("inside");
const EVENTS = ["click", "dblclick", "input", "change", "keydown", "wheel", "blur",
  "pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave"];
const STAY = ["blur", "pointerleave"]; // events that are not told to the elements around

/** The object, with an error for every property that it does not have. */
function guarded(object, name) {
  const check = (target, property) => {
    if (typeof property !== "symbol" && !(property in target)) throw new Error(`${name} has no ${property} here`);
  };
  return new Proxy(object, {
    get(target, property, receiver) { check(target, property); return Reflect.get(target, property, receiver); },
    set(target, property, value, receiver) { check(target, property); return Reflect.set(target, property, value, receiver); },
  });
}

/** A text as a reader may see it; one made of a missing value is an error. */
function readable(text, where) {
  const found = String(text).match(/NaN|undefined|Infinity|\[object/);
  if (found) throw new Error(`${where} says ${found[0]}: ${text}`);
  return String(text);
}

/** Sizes may not change while observers are told of them: browsers complain of the loop. */
function touchLayout(what) {
  if (browser.tellingSizes) throw new Error(`ResizeObserver loop: ${what} while sizes are told`);
}

function makeStyle(element) {
  return new Proxy({ background: "", left: "" }, {
    get(target, property) { if (!(property in target)) throw new Error(`style.${property} is not known here`); return target[property]; },
    set(target, property, value) {
      if (!(property in target)) throw new Error(`style.${property} is not known here`);
      for (const [, name] of readable(value, "style").matchAll(/var\((--[\w-]+)\)/g)) browser.styleValue(name);
      if (property !== "background") touchLayout(`style.${property}`);
      target[property] = value;
      return true;
    },
  });
}

function makeDataset(element) {
  const key = (name) => `data-${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;
  return new Proxy({}, {
    get: (_, name) => element.getAttribute(key(name)) ?? undefined,
    set: (_, name, value) => { element.setAttribute(key(name), value); return true; },
  });
}

class Target {
  constructor() { this[inside] = { listeners: [] }; }
  addEventListener(type, listener) {
    if (!EVENTS.includes(type)) throw new Error(`no event ${type} here`);
    if (typeof listener !== "function") throw new Error(`the listener of ${type} is no function`);
    this[inside].listeners.push({ type, listener });
  }
}

class PageElement extends Target {
  constructor(tag) {
    super();
    const self = guarded(this, `<${tag}>`);
    Object.assign(this[inside], { tag, attributes: new Map(), nodes: [], parent: null, hidden: false, tabIndex: -1 });
    Object.assign(this[inside], { style: makeStyle(self), dataset: makeDataset(self) });
    return self;
  }
  get style() { return this[inside].style; }
  get dataset() { return this[inside].dataset; }
  get id() { return this.getAttribute("id") ?? ""; }
  set id(value) { this.setAttribute("id", value); }
  get className() { return this.getAttribute("class") ?? ""; }
  set className(value) { touchLayout("className"); this.setAttribute("class", value); }
  get title() { return this.getAttribute("title") ?? ""; }
  set title(value) { this.setAttribute("title", value); }
  get hidden() { return this[inside].hidden; }
  set hidden(value) { if (value !== this[inside].hidden) touchLayout("hidden"); this[inside].hidden = value; }
  get tabIndex() { return this[inside].tabIndex; }
  set tabIndex(value) { this[inside].tabIndex = value; }
  get classList() {
    const names = new Set(this.className.split(/\s+/).filter(Boolean));
    const put = () => { this.className = [...names].join(" "); };
    return guarded({ add(name) { names.add(name); put(); }, remove(name) { names.delete(name); put(); }, toggle(name, on) { if (on) names.add(name); else names.delete(name); put(); }, contains: (name) => names.has(name) }, "classList");
  }
  getAttribute(name) { return this[inside].attributes.get(name) ?? null; }
  setAttribute(name, value) { this[inside].attributes.set(name, readable(value, `${this[inside].tag} ${name}`)); }
  removeAttribute(name) { this[inside].attributes.delete(name); }
  append(...nodes) {
    touchLayout("append");
    for (const node of nodes) {
      if (node instanceof PageElement) {
        const { parent } = node[inside];
        if (parent) parent[inside].nodes = parent[inside].nodes.filter((other) => other !== node);
        node[inside].parent = this;
        this[inside].nodes.push(node);
      } else this[inside].nodes.push(readable(node, "text"));
    }
  }
  replaceChildren(...nodes) { this[inside].nodes = []; this.append(...nodes); }
  get textContent() { return this[inside].nodes.map((n) => (typeof n === "string" ? n : n.textContent)).join(""); }
  set textContent(text) {
    if (text !== this.textContent) this.replaceChildren(text);
  }
  querySelectorAll(selector) { return descendants(this).filter(matcher(selector)); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
  closest(selector) {
    const fits = matcher(selector);
    for (let element = this; element; element = element[inside].parent) if (fits(element)) return element;
    return null;
  }
  setPointerCapture(id) { if (!Number.isInteger(id)) throw new Error("setPointerCapture needs the number of a pointer"); }
  get clientWidth() { return browser.sizeOf(this).width; }
  get clientHeight() { return browser.sizeOf(this).height; }
  get offsetWidth() { return this.hidden ? 0 : 120; }
  getBoundingClientRect() { return guarded({ left: browser.left, ...browser.sizeOf(this) }, "rectangle"); }
}

/** All elements below one, in the order of the text. */
function descendants(element) {
  return element[inside].nodes.flatMap((node) => (typeof node === "string" ? [] : [node, ...descendants(node)]));
}

/** Whether elements fit one selector without spaces, such as `table.all` or `[data-part="play"]`. */
function simpleMatcher(text) {
  const whole = text.match(/^([a-z]\w*)?((?:\.[\w-]+|#[\w-]+|\[[\w-]+(?:="[^"]*")?\])*)$/);
  if (!whole || !text) throw new Error(`selector ${text} is not understood here`);
  const parts = [...whole[2].matchAll(/\.([\w-]+)|#([\w-]+)|\[([\w-]+)(?:="([^"]*)")?\]/g)];
  return (element) => (!whole[1] || element[inside].tag === whole[1]) && parts.every(([, kind, id, name, value]) => {
    if (kind) return element.className.split(/\s+/).includes(kind);
    if (id) return element.id === id;
    return value === undefined ? element.getAttribute(name) !== null : element.getAttribute(name) === value;
  });
}

/** The same for lists of selectors, and for `outer inner`. */
function matcher(selector) {
  const choices = selector.split(",").map((text) => {
    const [last, ...outer] = text.trim().split(/\s+/).map(simpleMatcher).reverse();
    return (element) => {
      if (!last(element)) return false;
      let at = element[inside].parent, wanted = 0;
      for (; at && wanted < outer.length; at = at[inside].parent) if (outer[wanted](at)) wanted += 1;
      return wanted === outer.length;
    };
  });
  return (element) => choices.some((fits) => fits(element));
}

class Button extends PageElement {
  type = "submit";
  get disabled() { return this.getAttribute("disabled") !== null; }
  set disabled(value) { if (value) this.setAttribute("disabled", ""); else this.removeAttribute("disabled"); }
}
class Slider extends PageElement {
  get value() { return this.getAttribute("value"); }
  set value(text) {
    const number = Number(text), [low, high] = [Number(this.getAttribute("min")), Number(this.getAttribute("max"))];
    if (!Number.isFinite(number)) throw new Error(`the slider cannot be at ${text}`);
    this.setAttribute("value", Math.max(low, Math.min(high, number)));
  }
}
class Option extends PageElement {
  get value() { return this.getAttribute("value"); }
  set value(text) { this.setAttribute("value", text); }
}
class Select extends PageElement {
  get value() { return this[inside].chosen ?? this.querySelector("option").value; }
  set value(text) {
    if (!this.querySelectorAll("option").some((option) => option.value === text)) throw new Error(`no option ${text}`);
    this[inside].chosen = text;
  }
}
class Details extends PageElement { open = false; }
class Row extends PageElement { get cells() { return this.querySelectorAll("th, td"); } }
class Rows extends PageElement { get rows() { return this.querySelectorAll("tr"); } }
class Table extends PageElement {
  get tHead() { return this.querySelector("thead"); }
  get tBodies() { return this.querySelectorAll("tbody"); }
}

const KINDS = { button: Button, input: Slider, option: Option, select: Select, details: Details,
  tr: Row, thead: Rows, tbody: Rows, table: Table };

function makeElement(tag) {
  if (tag === "canvas") return new Canvas();
  return new (KINDS[tag] ?? PageElement)(tag);
}
