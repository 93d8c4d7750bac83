// Workloads that run: the order, their progress, what they give, and two beside each other.

import { get, post } from "./api.js";
import { $, fill, make, table } from "./dom.js";

const runs = new Map(); // by number: {title, state, key}
let choices, question, colour, complain;

export function prepare(all, asked, colourBy, tell) {
  [choices, question, colour, complain] = [all, asked, colourBy, tell];
  const order = $("order");
  fill(order.on, all.machines.map((m) => [m.name, `${m.name}: ${m.about}`]));
  fill(order.workload, all.workloads.map((w) => [w.name, w.name]));
  order.on.value = "ndr";
  order.workload.addEventListener("change", showParameters);
  order.addEventListener("submit", start);
  $("pair").addEventListener("change", beside);
  showParameters();
}

function showParameters() {
  const w = choices.workloads.find((one) => one.name === $("order").workload.value);
  $("workload-about").textContent = w.about;
  $("parameters").replaceChildren(...w.parameters.map((p) => make("label", {}, `${p.name}: ${p.help}`,
    make("input", { name: `set.${p.name}`, placeholder: p.default, spellcheck: false, autocomplete: "off" }))));
  $("parameters").parentElement.hidden = w.parameters.length === 0;
}

async function start(event) {
  event.preventDefault();
  const order = $("order"), asked = question(), body = { on: order.on.value, workload: order.workload.value, set: {}, unsafe: order.unsafe.checked };
  for (const input of $("parameters").querySelectorAll("input")) if (input.value) body.set[input.name.slice(4)] = input.value;
  if (order.ranks.value) body.ranks = Number(order.ranks.value);
  let title = `${body.workload} on ${body.on}`;
  const here = order.here.checked;
  if (here) {
    Object.assign(body, { topology: asked.topology, routing: asked.routing, hosts: Number(asked.hosts || 0), vcs: Number(asked.vcs || 0) });
    title += `, ${asked.topology}, ${asked.routing}`;
  }
  try {
    const { id } = await post("runs", body);
    complain("");
    follow(id, title, here ? JSON.stringify(asked) : "");
  } catch (error) {
    complain(error.message);
  }
}

// follow shows a run until it ends.
async function follow(id, title, key) {
  runs.set(id, { title, state: "running", key });
  const bar = make("progress", { max: 1 }), told = make("span", { textContent: "begins" });
  bar.setAttribute("aria-label", `Progress of run ${id}`);
  const stop = make("button", { type: "button", textContent: "Stop", onclick: () => post(`runs/${id}/stop`) });
  const line = make("div", { className: "bar" }, bar, told, stop), card = make("article", { className: "run", id: `run-${id}` }, make("h3", { textContent: `${id}. ${title}` }), line);
  $("runs").prepend(card);
  for (;;) {
    let now;
    try {
      now = await get(`runs/${id}`);
    } catch (error) {
      now = { state: "failed", error: `No answer of musubi view: ${error.message}` };
    }
    if (now.state !== "running") {
      line.remove();
      runs.get(id).state = now.state;
      return ended(card, id, now);
    }
    if (now.done > 0) bar.value = now.done;
    told.textContent = `${now.done > 0 ? `${Math.round(100 * now.done)} %, ` : ""}simulated ${now.now}, ${now.events.toLocaleString("en")} events`;
    await new Promise((go) => setTimeout(go, 250));
  }
}

function ended(card, id, now) {
  if (now.state !== "done") {
    const words = now.state === "stopped" ? "Stopped." : now.error;
    return card.append(make("p", { className: now.state === "failed" ? "bad" : "", textContent: words, role: "status" }));
  }
  card.append(make("p", { className: "hint", textContent: now.facts.map(([name, value]) => `${name}: ${value}`).join(" · "), role: "status" }));
  if (now.use && runs.get(id).key) {
    card.append(make("button", { type: "button", textContent: "Colour links by this run", onclick: () => colour(id, runs.get(id).key, now.use) }));
  }
  const lines = now.lines.map((l) => [l.metric, l.place, l.value, l.unit]);
  card.append(make("details", { open: lines.length <= 24 }, make("summary", { textContent: `Results (${lines.length})` }),
    make("div", { className: "sideways" }, table(`Run ${id}`, ["metric", "where", "value", "unit"], lines, (i) => i === 2))));
  card.append(...figures(now.figures, [id]));
  pairs();
}

// figures shows pictures of runs, each with its table.
function figures(list, ids) {
  const query = ids.map((id) => `run=${id}`).join("&");
  return list.map((f, i) => make("figure", {},
    make("img", { src: `api/figures/${i}?${query}`, alt: `${f.title}; the table below has its values`, width: f.width, height: f.height }),
    make("details", {}, make("summary", { textContent: "Values" }), make("div", { className: "sideways" }, table(f.title, f.heads, f.lines, (k) => k > 0)))));
}

// pairs offers the runs that have given something; the last two are chosen first.
function pairs() {
  const done = [...runs].filter(([, r]) => r.state === "done").map(([id, r]) => [id, `${id}. ${r.title}`]);
  const { a, b } = $("pair");
  fill(a, done);
  fill(b, done);
  if (done.length < 2) return;
  a.value = done.at(-2)[0];
  b.value = done.at(-1)[0];
  beside();
}

async function beside() {
  const { a, b } = $("pair");
  if (!a.value || !b.value) return;
  try {
    const both = await get("beside", [["run", a.value], ["run", b.value]]);
    $("beside-told").textContent = "A is the first run, and B the second; B/A is how many times as much B has.";
    $("beside-figures").replaceChildren(...figures(both.figures, [a.value, b.value]));
    $("beside-table").replaceChildren(table("Both runs", ["metric", "where", "A", "B", "B/A", "unit"],
      both.lines.map((l) => [l.metric, l.place, l.a, l.b, l.ratio, l.unit]), (i) => i >= 2 && i <= 4));
  } catch (error) {
    complain(error.message);
  }
}
