package packet

// countShift is where link.requests counts the requests of a link that has several words of them.
const countShift = 32

// want notes that a buffer wants a link, by its bit among the buffers of a node.
func (f *Fabric) want(l *link, bit uint32) {
	if l.isWide {
		f.wantWide(l, bit)
		return
	}
	l.requests |= 1 << (bit % 64)
}

func (f *Fabric) wantWide(l *link, bit uint32) {
	word := &f.wide[uint32(l.requests)+bit/64]
	l.requests += (^*word >> (bit % 64) & 1) << countShift
	*word |= 1 << (bit % 64)
}

// unwant notes that a buffer does not want a link, or not any more.
func (f *Fabric) unwant(l *link, bit uint32) {
	if l.isWide {
		f.unwantWide(l, bit)
		return
	}
	l.requests &^= 1 << (bit % 64)
}

func (f *Fabric) unwantWide(l *link, bit uint32) {
	word := &f.wide[uint32(l.requests)+bit/64]
	l.requests -= (*word >> (bit % 64) & 1) << countShift
	*word &^= 1 << (bit % 64)
}

// isWanted tells whether any packet waits for a link.
func (l *link) isWanted() bool {
	if l.isWide {
		return l.requests>>countShift != 0
	}
	return l.requests != 0
}

// makeWide makes room for the requests for links that have several words of them, all at once: memory that no packet comes
// to is not touched.
func (f *Fabric) makeWide(links []link) {
	all := 0
	for i := range links {
		l := &links[i]
		if words := f.nodes[l.node].words(); words > 1 {
			l.isWide, l.requests = true, uint64(all)
			all += int(words)
		}
	}
	f.wide = make([]uint64, all)
}

// wideRequests returns the words of a link that has several.
func (f *Fabric) wideRequests(l *link) []uint64 {
	first := uint32(l.requests)
	return f.wide[first : first+f.nodes[l.node].words()]
}

// words returns how many words the requests for an output of the node have.
func (n *node) words() uint32 { return (n.bits + 63) / 64 }
