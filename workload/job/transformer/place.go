package transformer

// place is where a rank stands in the grid of ranks: tensor goes fastest, then context, data and pipeline.
type place struct{ tensor, context, data, stage int }

func (t *Train) place(rank int) place {
	var p place
	p.tensor, rank = rank%t.Tensor, rank/t.Tensor
	p.context, rank = rank%t.Context, rank/t.Context
	p.data, p.stage = rank%t.Data, rank/t.Data
	return p
}

func (t *Train) rank(p place) int {
	return p.tensor + t.Tensor*(p.context+t.Context*(p.data+t.Data*p.stage))
}

// copies returns how many ranks have the same dense parameters.
func (t *Train) copies() int { return t.Context * t.Data }

// replica numbers the ranks that have the same dense parameters.
func (t *Train) replica(p place) int { return p.context + t.Context*p.data }

// The groups of ranks stand in the schedule by kinds: the tensor groups, then those of ranks with the same dense parameters
// (copies), and with experts those that share them, and those of ranks with the same experts.

// tensorGroup, copyGroup, expertGroup and twinGroup return the group of a rank.

func (t *Train) tensorGroup(rank int) *group {
	first := rank / t.Tensor
	return t.group(first, first*t.Tensor, 1, t.Tensor)
}

func (t *Train) copyGroup(rank int) *group {
	p := t.place(rank)
	return t.group(t.Ranks()/t.Tensor+p.tensor+t.Tensor*p.stage, t.rank(place{tensor: p.tensor, stage: p.stage}), t.Tensor, t.copies())
}

func (t *Train) expertGroup(rank int) *group {
	p := t.place(rank)
	within := t.replica(p) % t.Expert
	number := p.tensor + t.Tensor*(t.replica(p)/t.Expert+t.copies()/t.Expert*p.stage)
	return t.group(t.Ranks()/t.Tensor+t.Ranks()/t.copies()+number, rank-within*t.Tensor, t.Tensor, t.Expert)
}

func (t *Train) twinGroup(rank int) *group {
	p := t.place(rank)
	within := t.replica(p) % t.Expert
	number := p.tensor + t.Tensor*(within+t.Expert*p.stage)
	before := t.Ranks()/t.Tensor + t.Ranks()/t.copies() + t.Ranks()/t.Expert
	return t.group(before+number, rank-(t.replica(p)-within)*t.Tensor, t.Tensor*t.Expert, t.copies()/t.Expert)
}

// group returns a number of ranks from a first one on, at a distance from each other.
func (t *Train) group(number, first, distance, count int) *group {
	for number >= len(t.known) {
		t.known = append(t.known, nil)
	}
	if t.known[number] == nil {
		g := &group{number: uint32(number), ranks: make([]uint32, count)}
		for i := range g.ranks {
			g.ranks[i] = uint32(first + i*distance)
		}
		g.inside = t.Domain.Size > 1 && t.Domain.has(g.ranks)
		t.known[number] = g
	}
	return t.known[number]
}
