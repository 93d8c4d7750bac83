package schedule

// Piece returns piece i, counted in a circle, of memory that is cut into count pieces of whole elements, of about equal size.
func Piece(memory []byte, element, count, i int) []byte {
	i = (i%count + count) % count
	elements := len(memory) / element
	return memory[elements*i/count*element : elements*(i+1)/count*element]
}

// PassOn adds a step in which ranks pass the pieces of memory, one for each rank, on in a ring: each sends the piece that it has,
// then always the one that it has received last, to its right, until all have all. Ranks begin with consecutive pieces, this one
// with own.
func (s *Schedule) PassOn(memory []byte, element, own int) {
	s.Steps = append(s.Steps, Step{Action: PassOn, Peer: int32(own), memory: int32(element), Into: memory})
}

// CombineOn adds a step in which ranks combine memory in a ring: each sends its own piece, then always the one that it has received
// last, combined with that of its memory, to its right. Results are as long as the memory. At the end the piece behind own is
// combined of all ranks.
func (s *Schedule) CombineOn(memory, results []byte, element, own int) {
	s.Steps = append(s.Steps, Step{Action: CombineOn, Peer: int32(own), memory: int32(element), From: memory, Into: results})
}

// inRing returns the exchange of a round of a PassOn or CombineOn.
func (s *Schedule) inRing(ring *Step, round int) Step {
	from := ring.Into
	if ring.Action == CombineOn && round == 0 {
		from = ring.From
	}
	have := int(ring.Peer) - round
	return Step{
		Action: Exchange, Peer: int32(s.Right(1)), From: s.pieceOf(ring, from, have), Source: int32(s.Left(1)), Into: s.pieceOf(ring, ring.Into, have-1),
	}
}

// combinedOn returns the i-th of the steps that a CombineOn stands for.
func (s *Schedule) combinedOn(ring *Step, i int) Step {
	if i%2 == 0 {
		return s.inRing(ring, i/2)
	}
	come := int(ring.Peer) - i/2 - 1
	return Step{Action: Combine, From: s.pieceOf(ring, ring.From, come), Into: s.pieceOf(ring, ring.Into, come)}
}

// sentInRing returns how many bytes a rank sends in a PassOn or CombineOn: all pieces but the one that its right has at the beginning.
func (s *Schedule) sentInRing(ring *Step) int {
	return len(ring.Into) - len(s.pieceOf(ring, ring.Into, int(ring.Peer)+1))
}

func (s *Schedule) pieceOf(ring *Step, memory []byte, i int) []byte {
	return Piece(memory, int(ring.memory), s.Size, i)
}
