package tables

import "musubi/routing"

// passage is the step of a packet through one switch.
type passage struct {
	sw, in, out int // ports
	inVC, outVC int
}

// steps calls f for each switch that packets from src to dst pass.
// A packet uses the virtual channel of its next hop on the links of the end points.
func steps(r *routing.Routes, src, dst int, f func(passage)) { stepsOver(nil, r, src, dst, f) }

// stepsOver is steps with room for a path that is computed; it returns the path as room for the
// next one.
func stepsOver(room routing.Path, r *routing.Routes, src, dst int, f func(passage)) routing.Path {
	from := r.Net.EndPoints[src].At
	path, vc, last, _ := r.PathInto(room, src, dst)
	s := passage{sw: from.Switch, in: from.Number, inVC: vc}
	for _, h := range path {
		s.out, s.outVC = r.Net.From(h.Channel()).Number, h.VC()
		f(s)
		to := r.Net.To(h.Channel())
		s = passage{sw: to.Switch, in: to.Number, inVC: h.VC()}
	}
	s.out, s.outVC = r.Net.EndPoints[dst].At.Number, last
	f(s)
	return path
}

// allSteps calls f for every passage of every pair of different end points, in
// order of source and destination, until it returns false.
func allSteps(r *routing.Routes, f func(routing.Pair, passage) bool) {
	going := true
	var room routing.Path
	for src := range r.Net.EndPoints {
		for dst := range r.Net.EndPoints {
			id := r.PathID(src, dst)
			if src == dst || id < 0 {
				continue
			}
			room = stepsOver(room, r, src, dst, func(p passage) { going = going && f(routing.Pair{Src: src, Dst: dst}, p) })
			if !going {
				return
			}
		}
	}
}

// firstWith returns the first pair of end points with a passage that matches.
func firstWith(r *routing.Routes, match func(routing.Pair, passage) bool) routing.Pair {
	var first routing.Pair
	allSteps(r, func(q routing.Pair, p passage) bool {
		if match(q, p) {
			first = q
			return false
		}
		return true
	})
	return first
}

// describe names a pair of end points.
func describe(r *routing.Routes, p routing.Pair) string {
	return r.Net.EndPointName(p.Src) + " to " + r.Net.EndPointName(p.Dst)
}
