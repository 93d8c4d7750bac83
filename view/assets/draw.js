// The drawing of a network: switches at their places, links as a line for each direction, coloured
// and as thick as what they carry, and above them the way, the cycle or the packets of a play. The
// look is that of the pictures of "musubi route --draw".

import { shape } from "./dom.js";

const wanted = 640, margin = 40, mostStep = 64, leastStep = 5, nodePart = 0.24, mostNode = 11, labelled = 6.5;
export const red = "#c40000";

// Colours of Okabe and Ito, with dashes, so that flows differ without colours as well.
export const flowColours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
export const letter = (flow) => (flow < 26 ? String.fromCharCode(65 + flow) : `F${flow + 1}`);

// heat is the colour of a part from 0 to 1: ever darker.
const heats = [[0xd9, 0xe5, 0xee], [0xa6, 0xd4, 0xee], [0x56, 0xb4, 0xe9], [0x00, 0x72, 0xb2], [0x05, 0x20, 0x38]];
export function heat(part) {
  const at = Math.min(Math.max(part, 0), 1) * (heats.length - 1), i = Math.min(Math.floor(at), heats.length - 2);
  const mixed = heats[i].map((low, k) => Math.round(low + (at - i) * (heats[i + 1][k] - low)));
  return `rgb(${mixed})`;
}

// Plane knows where the switches and channels of a network are on paper.
export class Plane {
  constructor(net) {
    this.net = net;
    const xs = net.switches.map((s) => s.x), ys = net.switches.map((s) => s.y);
    const low = { x: Math.min(...xs), y: Math.min(...ys) }, high = { x: Math.max(...xs), y: Math.max(...ys) };
    const extent = Math.max(high.x - low.x, high.y - low.y, 1);
    this.step = Math.min(Math.max(wanted / extent, leastStep), mostStep);
    this.radius = Math.min(nodePart * this.step, mostNode);
    if (net.layout === "distances") {
      const room = Math.sqrt((high.x - low.x + 1) * (high.y - low.y + 1) / net.switches.length);
      this.radius = Math.min(this.radius, 0.27 * this.step * room);
    }
    this.at = net.switches.map((s) => ({ x: margin + this.step * (s.x - low.x), y: margin + this.step * (high.y - s.y) }));
    this.width = Math.max(2 * margin + this.step * (high.x - low.x), 260);
    this.height = 2 * margin + this.step * (high.y - low.y);
    this.sides = this.parallels();
  }

  // parallels moves links of the same two switches apart.
  parallels() {
    const seen = new Map();
    return this.net.links.map(({ a, b }) => {
      const key = `${a} ${b}`, n = seen.get(key) || 0;
      seen.set(key, n + 1);
      const side = 0.22 * this.radius * Math.floor((n + 1) / 2);
      return n % 2 ? -side : side;
    });
  }

  ends(channel) {
    const link = this.net.links[channel >> 1];
    return channel % 2 ? [link.b, link.a] : [link.a, link.b];
  }

  // bend is how far a channel bends to its left: around switches between.
  bend(channel) {
    const bend = this.net.links[channel >> 1].bend * this.step;
    return channel % 2 ? -bend : bend;
  }

  // frame is where a channel begins and ends, and unit vectors along it and to its left.
  frame(channel) {
    const [from, to] = this.ends(channel).map((s) => this.at[s]);
    const dx = to.x - from.x, dy = to.y - from.y, length = Math.max(Math.hypot(dx, dy), 1e-9);
    return { from, to, length, along: { x: dx / length, y: dy / length }, left: { x: dy / length, y: -dx / length } };
  }

  // point is a place on a channel, from 0 to 1, moved to the left.
  point(channel, t, left) {
    const f = this.frame(channel), bend = this.bend(channel), b = 3 * t * (1 - t) * bend + left;
    const part = bend === 0 ? t : 0.6 * (1 - t) * (1 - t) * t + 2.4 * (1 - t) * t * t + t * t * t;
    return { x: f.from.x + part * f.length * f.along.x + b * f.left.x, y: f.from.y + part * f.length * f.along.y + b * f.left.y };
  }

  // curve is a channel as the path of an SVG, moved to the left.
  curve(channel, left) {
    const f = this.frame(channel), bend = this.bend(channel);
    const at = (along, across) => `${(f.from.x + along * f.length * f.along.x + across * f.left.x).toFixed(1)} ${(f.from.y + along * f.length * f.along.y + across * f.left.y).toFixed(1)}`;
    if (bend === 0) return `M${at(0, left)}L${at(1, left)}`;
    return `M${at(0, left)}C${at(0.2, left + bend)} ${at(0.8, left + bend)} ${at(1, left)}`;
  }

  side(channel) { return channel % 2 ? -this.sides[channel >> 1] : this.sides[channel >> 1]; }
}

// draw draws a network into an SVG. over makes what lies above the links and below the switches, and
// top what lies above all.
export function draw(svg, plane, loads, most, over, top, choose) {
  svg.setAttribute("viewBox", `0 0 ${plane.width} ${plane.height}`);
  const under = links(plane, loads, most);
  if (over.childElementCount) under.setAttribute("opacity", 0.3); // what lies above counts now
  svg.replaceChildren(under, over, switches(plane, choose), top);
}

function links(plane, loads, most) {
  const all = shape("g", { fill: "none" });
  const thick = Math.min(4.2, 0.5 * plane.radius);
  plane.net.links.forEach((link, i) => {
    if (link.a === link.b) return;
    for (const channel of [2 * i, 2 * i + 1]) {
      const part = most > 0 ? loads[channel] / most : 0;
      all.append(shape("path", {
        d: plane.curve(channel, plane.side(channel) - 0.55 * thick),
        stroke: part > 0 ? heat(part) : "#ccd4d9", "stroke-width": part > 0 ? thick * (0.3 + 0.7 * part) : 0.2 * thick,
      }));
    }
  });
  return all;
}

function switches(plane, choose) {
  const all = shape("g"), r = plane.radius;
  plane.net.switches.forEach((s, i) => {
    const { x, y } = plane.at[i], g = shape("g");
    if (r >= labelled) hosts(plane, i).forEach((h) => g.append(h));
    g.append(shape("circle", { cx: x, cy: y, r, fill: "#fff", stroke: "#1a2329", "stroke-width": Math.min(1, r / 6) }));
    if (r >= labelled) {
      const size = 0.8 * r, words = s.name.length * 0.55 * size <= 1.8 * r ? s.name : String(i);
      const label = shape("text", { x, y: y + 0.36 * size, "font-size": size, "text-anchor": "middle", fill: "#1a2329" });
      label.textContent = words;
      g.append(label);
    }
    const title = shape("title");
    title.textContent = `${s.name}: ${s.ends.map((e) => plane.net.ends[e]).join(", ") || "no hosts"}`;
    g.append(title);
    g.addEventListener("click", () => choose(i));
    all.append(g);
  });
  return all;
}

// hosts are dots: below a switch in layers, and else to its lower right.
function hosts(plane, i) {
  const n = Math.min(plane.net.switches[i].ends.length, 4), at = plane.at[i], all = [];
  for (let k = 0; k < n; k++) {
    const p = hostPlace(plane, i, k, n);
    all.push(shape("line", { x1: at.x, y1: at.y, x2: p.x, y2: p.y, stroke: "#6b7880", "stroke-width": 0.6 }));
    all.push(shape("circle", { cx: p.x, cy: p.y, r: 1.8, fill: "#6b7880" }));
  }
  return all;
}

export function hostPlace(plane, i, k, n, reach = plane.radius + 5) {
  const middle = plane.net.layout === "layers" ? Math.PI / 2 : Math.PI / 4;
  const angle = middle + 0.34 * (k - (n - 1) / 2), at = plane.at[i];
  return { x: at.x + reach * Math.cos(angle), y: at.y + reach * Math.sin(angle) };
}

// arrows draws channels in their order as numbered arrows.
export function arrows(plane, channels, colour, top) {
  const over = shape("g", { fill: "none" });
  const width = Math.min(2.8, Math.max(1.2, plane.radius / 4));
  channels.forEach((channel, i) => {
    const side = -1.2 * width;
    over.append(shape("path", { d: plane.curve(channel, side), stroke: "#fff", "stroke-width": 2.4 * width }));
    over.append(shape("path", { d: plane.curve(channel, side), stroke: colour, "stroke-width": width }));
    over.append(arrowHead(plane, channel, 0.66, side, 2.1 * width, colour));
    badge(top, plane.point(channel, 0.4, side), String(i + 1), colour, plane.radius);
  });
  return over;
}

// parts draws channels as arrows, the thicker the more of the packets take them.
export function parts(plane, hops, colour) {
  const over = shape("g", { fill: "none" });
  for (const { channel, part } of hops) {
    const width = Math.min(2.8, Math.max(1.2, plane.radius / 4)) * (0.35 + 0.65 * Math.min(part, 1)), side = -1.2 * width;
    over.append(shape("path", { d: plane.curve(channel, side), stroke: "#fff", "stroke-width": 2.4 * width }));
    over.append(shape("path", { d: plane.curve(channel, side), stroke: colour, "stroke-width": width }));
    over.append(arrowHead(plane, channel, 0.66, side, 2.1 * width, colour));
  }
  return over;
}

// arrowHead is a triangle on a channel.
export function arrowHead(plane, channel, part, side, size, colour) {
  const tip = plane.point(channel, part + 0.01, side), before = plane.point(channel, part - 0.02, side);
  const dx = tip.x - before.x, dy = tip.y - before.y, length = Math.hypot(dx, dy) || 1;
  const ax = dx / length, ay = dy / length;
  const back = { x: tip.x - 2 * size * ax, y: tip.y - 2 * size * ay };
  return shape("path", { d: `M${tip.x} ${tip.y}L${back.x + size * ay} ${back.y - size * ax}L${back.x - size * ay} ${back.y + size * ax}Z`, fill: colour });
}

function badge(top, at, words, colour, radius) {
  const r = Math.min(6.5, Math.max(3, radius * 0.65)), g = shape("g");
  g.append(shape("circle", { cx: at.x, cy: at.y, r, fill: "#fff", stroke: colour, "stroke-width": 0.8 }));
  const text = shape("text", { x: at.x, y: at.y + 0.36 * 1.3 * r, "font-size": 1.3 * r, "text-anchor": "middle", "font-weight": 700, fill: colour });
  text.textContent = words;
  g.append(text);
  top.append(g);
}
