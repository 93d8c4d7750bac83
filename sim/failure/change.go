package failure

import (
	"slices"

	"musubi/routing"
)

// change carries out what the agenda has for now.
func (x *Fabric) change() {
	learnt := false
	for x.agenda.next() <= x.q.Now() {
		m := x.agenda.take()
		switch m.step {
		case fails:
			x.fail(m.of)
		case heals:
			x.heal(m.of)
			if m.again != nil {
				x.agenda.enter(m.again.draw(x.q.Now()), x.cfg.Detection, m.again)
			}
		case failureKnown:
			x.state.learn(m.of, 1)
			learnt = true
		case healingKnown:
			x.state.learn(m.of, -1)
			learnt = true
		}
	}
	if learnt {
		x.reroute()
	}
}

// fail takes the links of an element out of service, or a part of their rate.
func (x *Fabric) fail(e *Event) {
	x.counts.failures++
	if e.Share == 0 {
		x.counts.begin(e)
	}
	for _, link := range e.Links {
		switch {
		case e.Share > 0:
			x.Degrade(link, e.Share)
		case x.state.down[link] == 0:
			x.Breakable.Fail(link)
			fallthrough
		default:
			x.state.down[link]++
		}
	}
}

// heal undoes fail.
func (x *Fabric) heal(e *Event) {
	if e.Share == 0 {
		x.counts.end(e, x.q.Now())
	}
	for _, link := range e.Links {
		if e.Share > 0 {
			x.Degrade(link, 1)
			continue
		}
		if x.state.down[link]--; x.state.down[link] == 0 {
			x.Heal(link)
		}
	}
}

// reroute brings new routes for what is known to be left, and sends what has waited for them.
func (x *Fabric) reroute() {
	loss := x.state.loss()
	x.state.divide(loss)
	x.before = slices.DeleteFunc(append(x.before, x.now), func(g *generation) bool { return g.packets == 0 || g.routes == nil })
	var before []*routing.Routes
	for _, g := range x.before {
		before = append(before, g.routes)
	}
	t, err := x.cfg.Routing.after(loss, x.state.joined, before)
	if err != nil {
		x.failed = err
		return
	}
	x.counts.reroutes++
	if t.flush {
		x.Flush()
	}
	x.Reroute(t.routes, t.scheme)
	x.now = &generation{routes: t.routes}
	if t.scheme != nil {
		x.now.routes = nil
	}
	waiting := x.parked
	x.parked = nil
	for _, id := range waiting {
		x.launch(id)
	}
}
