// The play of a deadlock: where each packet is after so many steps, drawn and told.

import { $, make, shape } from "./dom.js";
import { arrows, arrowHead, flowColours, hostPlace, letter, red } from "./draw.js";

export class Player {
  constructor(play, plane, changed) {
    Object.assign(this, { play, plane, changed, step: 0, timer: 0 });
    this.several = play.packets.some(([, number]) => number > 0);
  }

  get steps() { return this.play.steps.length; }
  get over() { return this.step === this.steps; }

  name(packet) {
    const [flow, number] = this.play.packets[packet];
    return letter(flow) + (this.several ? number + 1 : "");
  }

  // links says on which link each packet is after the present step; -1: at its source.
  links() {
    const at = this.play.packets.map(() => -1);
    for (const { moves } of this.play.steps.slice(0, this.step)) for (const [packet, link] of moves) at[packet] = link;
    return at;
  }

  // where says it in words.
  where(packet, link) {
    const { way, from, to } = this.play.flows[this.play.packets[packet][0]];
    if (link < 0) return `at ${from}`;
    if (link > way.length + 1) return `arrived at ${to}`;
    if (link === way.length + 1) return `on the link to ${to}`;
    if (link === 0) return `in the first switch; next ${way.length ? way[0].name : to}`;
    const held = `holds ${channel(way[link - 1])}`;
    return held + (link < way.length ? `; next ${channel(way[link])}` : `; next ${to}`);
  }

  // taken says what a packet has just done.
  taken(packet, link) {
    const { way, from, to } = this.play.flows[this.play.packets[packet][0]];
    if (link === 0) return `leaves ${from}`;
    if (link <= way.length) return `takes ${way[link - 1].name}`;
    return link === way.length + 1 ? `leaves for ${to}` : `arrives at ${to}`;
  }

  go(step) {
    this.step = Math.min(Math.max(step, 0), this.steps);
    if (this.over) this.pause();
    this.tell();
    this.changed();
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.over) this.step = 0;
    this.timer = setInterval(() => this.go(this.step + 1), 900);
    this.go(this.step);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.tell();
  }

  tell() {
    const slider = $("step");
    slider.max = this.steps;
    slider.value = this.step;
    $("play").textContent = this.timer ? "Pause" : "Play";
    for (const id of ["first", "back"]) $(id).disabled = this.step === 0;
    for (const id of ["next", "last"]) $(id).disabled = this.over;
    $("step-told").textContent = this.sentence();
    const at = this.links();
    $("packets").tBodies[0].replaceChildren(...this.play.packets.map(([flow], packet) => {
      const { from, to } = this.play.flows[flow], stuck = this.over && this.play.full.length > 0 && at[packet] <= this.play.flows[flow].way.length;
      const where = this.where(packet, at[packet]);
      return make("tr", {}, make("td", { textContent: this.name(packet) }), make("td", { textContent: `${from} → ${to}` }),
        make("td", { textContent: stuck ? where.replace("next", "waits for") : where, className: stuck ? "waits" : "" }));
    }));
  }

  sentence() {
    if (this.step === 0) return `Step 0 of ${this.steps}: all packets are at their sources.`;
    const { at, moves } = this.play.steps[this.step - 1];
    const told = `Step ${this.step} of ${this.steps}, ${at}: ${moves.map(([packet, link]) => `${this.name(packet)} ${this.taken(packet, link)}`).join(", ")}.`;
    return this.over ? `${told} ${this.play.ended}` : told;
  }

  // draw returns what lies above the links, and puts the packets on top.
  draw(top) {
    const { plane, play } = this;
    const over = shape("g", { fill: "none" });
    if (this.over && play.full.length) over.append(arrows(plane, play.full.map((h) => h.channel), red, top));
    this.links().forEach((link, packet) => {
      const [flow] = play.packets[packet], { way, src, dst } = play.flows[flow];
      if (link > way.length + 1) return;
      const colour = flowColours[flow % flowColours.length];
      if (link >= 1 && link <= way.length) {
        const channel = way[link - 1].channel;
        if (!this.over) {
          over.append(shape("path", { d: plane.curve(channel, -3), stroke: colour, "stroke-width": 3, "stroke-dasharray": flow % 2 ? "5 2" : "none" }));
          over.append(arrowHead(plane, channel, 0.5, -3, 4, colour));
        }
        top.append(this.packet(packet, plane.point(channel, 0.78, -3), colour));
        return;
      }
      const end = link <= 0 ? src : dst, sw = plane.net.switches.findIndex((s) => s.ends.includes(end));
      const { x, y } = plane.at[sw];
      const at = link === 0 ? { x, y: y - plane.radius } : hostPlace(plane, sw, this.waitingAt(end, packet), 1, plane.radius + 11);
      top.append(this.packet(packet, at, colour));
    });
    return over;
  }

  // waitingAt moves packets of one host apart.
  waitingAt(end, packet) {
    const same = this.play.packets.slice(0, packet).filter(([flow]) => this.play.flows[flow].src === end);
    return same.length * 1.5;
  }

  packet(packet, at, colour) {
    const size = Math.min(15, Math.max(7, this.plane.radius * 1.3)), words = this.name(packet);
    const g = shape("g", { class: "packet", transform: `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})` });
    g.append(shape("rect", { x: -size / 2, y: -size / 2, width: size, height: size, rx: 2, fill: colour, stroke: "#fff", "stroke-width": 1 }));
    const text = shape("text", { y: 0.26 * size, "font-size": (words.length > 1 ? 0.58 : 0.75) * size, "text-anchor": "middle", "font-weight": 700, fill: "#fff" });
    text.textContent = words;
    g.append(text);
    return g;
  }
}

const channel = (hop) => `${hop.name} VC ${hop.vc}`;
