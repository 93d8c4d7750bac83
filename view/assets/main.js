// The page: what is asked is in the address behind "#", so that it can be kept and sent on to oneself.

import { get } from "./api.js";
import { $, fill, make, shape } from "./dom.js";
import { Plane, arrows, draw, heat, parts } from "./draw.js";
import { Player } from "./play.js";
import * as runs from "./runs.js";

const panels = ["way", "cycle", "run", "beside"];
const shown = { net: null, plane: null, way: null, player: null, panel: "way", use: null, zoom: 1, next: "from" };

// question is what the form asks.
const question = () => Object.fromEntries(["topology", "hosts", "routing", "vcs"].map((name) => [name, $("question")[name].value.trim()]));

function complain(words) {
  $("message").textContent = words;
  $("message").hidden = !words;
}

async function begin() {
  const choices = await get("choices");
  $("networks").append(...choices.networks.map((value) => make("option", { value })));
  fill($("question").routing, choices.routings.map((r) => [r.name, r.name]));
  for (const option of $("question").routing.options) option.title = choices.routings.find((r) => r.name === option.value).about;
  fromAddress();
  runs.prepare(choices, question, colourBy, complain);
  listen();
  await show();
}

// fromAddress takes over what the address asks.
function fromAddress() {
  const asked = new URLSearchParams(location.hash.slice(1)), form = $("question");
  form.topology.value = asked.get("topology") || "torus:4x4";
  form.routing.value = asked.get("routing") || "minimal";
  if (!form.routing.value) form.routing.value = "minimal";
  form.hosts.value = asked.get("hosts") || "";
  form.vcs.value = asked.get("vcs") || "";
  if (panels.includes(asked.get("panel"))) shown.panel = asked.get("panel");
}

function keepAddress() {
  const kept = Object.entries({ ...question(), panel: shown.panel }).filter(([, value]) => value);
  history.replaceState(null, "", `#${new URLSearchParams(kept)}`);
}

function listen() {
  $("question").addEventListener("submit", (event) => { event.preventDefault(); show(); });
  $("question").routing.addEventListener("change", show);
  $("question").topology.addEventListener("change", show);
  $("ends").addEventListener("change", way);
  $("swap").addEventListener("click", () => {
    const { from, to } = $("ends");
    [from.value, to.value] = [to.value, from.value];
    way();
  });
  for (const [id, act] of Object.entries({
    first: (p) => p.go(0), back: (p) => p.go(p.step - 1), next: (p) => p.go(p.step + 1), last: (p) => p.go(p.steps), play: (p) => p.toggle(),
  })) $(id).addEventListener("click", () => shown.player && act(shown.player));
  $("step").addEventListener("input", (event) => shown.player?.go(Number(event.target.value)));
  $("larger").addEventListener("click", () => zoom(1.5));
  $("smaller").addEventListener("click", () => zoom(1 / 1.5));
  const tabs = panels.map((name) => $(`tab-${name}`));
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => open(panels[i]));
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: panels.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      open(panels[(to + panels.length) % panels.length]);
      $(`tab-${shown.panel}`).focus();
    });
  });
  open(shown.panel);
}

function open(panel) {
  shown.panel = panel;
  for (const name of panels) {
    $(name).hidden = name !== panel;
    $(`tab-${name}`).setAttribute("aria-selected", name === panel);
    $(`tab-${name}`).tabIndex = name === panel ? 0 : -1;
  }
  document.querySelector("main").classList.toggle("broad", panel === "beside");
  if (panel !== "cycle") shown.player?.pause();
  keepAddress();
  redraw();
}

function zoom(by) {
  shown.zoom = Math.min(Math.max(shown.zoom * by, 1), 8);
  $("drawing").style.width = `${100 * shown.zoom}%`;
  $("drawing").style.maxHeight = `${62 * shown.zoom}vh`;
}

// show asks for the network and shows all that is known of it.
async function show() {
  const asked = question();
  document.body.setAttribute("aria-busy", "true");
  try {
    const net = await get("network", asked);
    const play = net.cycle && !net.shares ? await get("deadlock", asked) : null;
    shown.player?.pause();
    Object.assign(shown, { net, plane: new Plane(net), way: null, use: null, next: "from" });
    shown.player = play && new Player(play, shown.plane, redraw);
    complain("");
  } catch (error) {
    complain(error.message);
    return;
  } finally {
    document.body.removeAttribute("aria-busy");
  }
  keepAddress();
  tell();
  shown.player?.tell();
  await way();
}

function tell() {
  const { net } = shown, s = net.statistics;
  $("title").textContent = `${net.name}, ${net.routing}`;
  $("verdict").textContent = net.verdict;
  $("verdict").className = net.safe ? "" : "bad";
  const about = net.shares
    ? `Expected ways: ${s.hops.mean.toFixed(2)} links in the mean. The most used link: ${round(Math.max(...net.loads, 0))} pairs of hosts`
    : `Ways: ${s.hops.mean.toFixed(2)} links in the mean, ${s.hops.max} at most; ${Math.round(100 * s.minimal_fraction)} % as short as can be. The most used link: ${s.channel_load.max} pairs of hosts`;
  $("facts").textContent = `${net.summary}. Virtual channels: ${net.vcs}. ${about}.`;
  const hosts = net.ends.slice(0, net.hosts).map((name, i) => [i, name]);
  fill($("ends").from, hosts);
  fill($("ends").to, hosts);
  if ($("ends").from.value === $("ends").to.value && net.hosts > 1) $("ends").to.value = String(net.hosts - 1);
  $("player").hidden = !shown.player;
  $("cycle-told").textContent = net.cycle
    ? `${net.cycle.length} channels, each held by packets that wait for the next:`
    : net.shares ? "No cycle: whatever packets choose, one of them can go on." : "No cycle: whatever packets are under way, one of them can go on. So there is no deadlock to play. Routing minimal on a torus or a ring has one.";
  $("holds").replaceChildren(...(net.cycle || []).map((h) => make("li", { textContent: `${h.name} VC ${h.vc}, held by ${h.from} → ${h.to}` })));
}

async function way() {
  const { from, to } = $("ends");
  if (from.value === "" || to.value === "") return redraw();
  try {
    const found = await get("way", { ...question(), from: from.value, to: to.value });
    shown.way = found;
    const n = round(found.links);
    $("way-told").textContent = `${found.from} → ${found.to}: ${shown.net.shares ? `packets choose, and are expected to take ${n} of these` : n} ${found.links === 1 ? "link" : "links"} between switches` + (found.links > found.shortest + 1e-9 ? `; the shortest way has ${found.shortest}` : ", as few as can be");
    $("hops").replaceChildren(...found.hops.map((h) => make("li", { textContent: h.part ? `${h.name}, ${round(100 * h.part)} % of the packets` : `${h.name}, VC ${h.vc}` })));
  } catch (error) {
    shown.way = null;
    $("way-told").textContent = error.message;
    $("hops").replaceChildren();
  }
  redraw();
}

// round writes a number with two places behind the point at most.
const round = (x) => String(Math.round(100 * x) / 100);

// choose makes a switch the source of the way, or its destination.
function choose(i) {
  const [end] = shown.net.switches[i].ends.filter((e) => e < shown.net.hosts);
  if (end === undefined) return;
  $("ends")[shown.next].value = end;
  shown.next = shown.next === "from" ? "to" : "from";
  open("way");
  way();
}

// colourBy colours links by the use that a run has made of them, where it is of this network.
function colourBy(run, key, use) {
  if (key !== JSON.stringify(question())) return complain(`Run ${run} was on another network or routing: choose that above, and press the button again.`);
  shown.use = { run, use };
  redraw();
}

function redraw() {
  const { net, plane, way: found, player, panel, use } = shown;
  if (!net) return;
  const loads = use ? use.use : net.loads, most = use ? 1 : Math.max(...net.loads, 1);
  const top = shape("g");
  let over = shape("g");
  if (panel === "way" && found && net.shares) over = parts(plane, found.hops, "#d55e00");
  else if (panel === "way" && found) over = arrows(plane, found.hops.map((h) => h.channel), "#d55e00", top);
  if (panel === "cycle" && player) over = player.draw(top);
  draw($("drawing"), plane, loads, most, over, top, choose);
  legend(most, use);
}

function legend(most, use) {
  const scale = shape("svg", { viewBox: "0 0 100 14", "aria-hidden": "true" });
  for (let i = 0; i < 20; i++) scale.append(shape("rect", { x: i * 5, y: 7 - (2 + i / 4), width: 5, height: 2 * (2 + i / 4), fill: heat(i / 19) }));
  const words = use ? `part of the time that a link is busy in run ${use.run}: 0 to 100 %` : `pairs of hosts whose way uses a link: 0 to ${round(most)}`;
  const expected = shown.net.shares && !use ? `. Expected, as packets choose: a pair counts in parts, ${shown.net.shares}` : "";
  const parts = [make("span", { textContent: "Links:" }), scale, make("span", { textContent: `${words}, a line for each direction${expected}` })];
  if (use) parts.push(make("button", { type: "button", textContent: "Pairs again", onclick: () => { shown.use = null; redraw(); } }));
  $("legend").replaceChildren(...parts);
}

begin().catch((error) => complain(error.message));
