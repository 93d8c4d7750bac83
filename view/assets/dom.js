// Small helpers for elements.

export const $ = (id) => document.getElementById(id);

// make makes an element with properties and children, which may be texts.
export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

// shape makes an element of SVG with attributes.
export function shape(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// fill gives a select its options: [value, words] each.
export function fill(select, options) {
  const before = select.value;
  select.replaceChildren(...options.map(([value, words]) => make("option", { value, textContent: words })));
  if (options.some(([value]) => String(value) === before)) select.value = before;
}

// table makes a table of headings and lines; numeric says which columns are numbers.
export function table(caption, heads, lines, numeric = () => false) {
  const cell = (name, words, i) => make(name, { textContent: words, className: numeric(i) ? "number" : "" });
  const head = make("tr", {}, ...heads.map((h, i) => Object.assign(cell("th", h, i), { scope: "col" })));
  const body = lines.map((line) => make("tr", {}, ...line.map((words, i) => cell("td", words, i))));
  return make("table", {}, make("caption", { textContent: caption }), make("thead", {}, head), make("tbody", {}, ...body));
}
