package collective

import (
	"cmp"
	"encoding/binary"
	"math"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/rma"
)

// Operations with neighbours by notes: each rank posts one note for all that it sends to, and waits for the notes of those alone
// that it receives from. Both ends know which parts are too long for notes, and so go by messages. If a note has no room for all that are
// short it says which of them go by messages, too.

// A note for neighbours has words of 32 bits. The first one is how many parts there are; then come two for each, its destination
// and its bytes, and then the bytes themselves. If all parts are the same it is onePart, and the bytes of that follow. If the note has
// no room to tell of all parts it is noParts, and all come by messages.
// Package abi has the same in near.c.
const (
	onePart   = math.MaxUint32
	noParts   = math.MaxUint32 - 1
	byMessage = 1 << 31 // among the bytes of a part that is not there
	headBytes = 4
	partBytes = 8 // of which the note tells the destination and the length
)

// nearByNotes carries out an operation with neighbours. It reports false if something of it is left for messages.
func (r *Operation) nearByNotes() (done bool, err error) {
	c := r.C
	if r.Algorithm != algorithm.ToNeighbours {
		return false, nil
	}
	if use, err := c.mayUseBarrier(r.Call); !use || err != nil {
		return use, err
	}
	note, late := c.nearNote(r.Near, r.Ins)
	if err := c.postNote(note, true); err != nil {
		return true, err
	}
	var failed error
	for i, source := range r.Near.Sources {
		if source < 0 {
			continue
		}
		isLate := !c.isShort(len(r.Outs[i]))
		if !isLate {
			if err := c.awaitNote(source); err != nil {
				return true, err
			}
			isLate, err = c.takeNear(r.Near, i, r.Outs[i])
			failed = cmp.Or(failed, err)
		}
		if isLate {
			late.sources = append(late.sources, i)
		}
	}
	if len(late.sources)+len(late.destinations) == 0 {
		return true, failed
	}
	r.spoiled = cmp.Or(r.spoiled, failed)
	r.Near = late.of(r.Near)
	r.tagByRound()
	return false, nil
}

// lateParts are those that go by messages: their numbers among the parts of an operation.
type lateParts struct{ sources, destinations []int }

// of returns the neighbours that have late parts, where the others are nobody.
func (l *lateParts) of(n *algorithm.Neighbours) *algorithm.Neighbours {
	return &algorithm.Neighbours{Sources: only(n.Sources, l.sources), Destinations: only(n.Destinations, l.destinations), Mirrored: n.Mirrored}
}

// only returns ranks of which some are still there, by their numbers.
func only(ranks, there []int) []int {
	list := make([]int, len(ranks))
	for i := range list {
		list[i] = core.None
	}
	for _, i := range there {
		list[i] = ranks[i]
	}
	return list
}

// nearNote returns the note for neighbours, and which parts are not in it.
func (c *Comm) nearNote(n *algorithm.Neighbours, parts [][]byte) (note []byte, late lateParts) {
	if same, ok := c.sameParts(n, parts); ok {
		note = c.draft(headBytes + len(same))
		binary.NativeEndian.PutUint32(note, onePart)
		copy(note[headBytes:], same)
		return note, late
	}
	count := 0
	for range n.InOrder {
		count++
	}
	note = c.draft(rma.NoteBytes)
	head, end := headBytes, headBytes+count*partBytes
	if end > len(note) {
		for i := range n.InOrder {
			late.destinations = append(late.destinations, i)
		}
		binary.NativeEndian.PutUint32(note, noParts)
		return note[:headBytes], late
	}
	binary.NativeEndian.PutUint32(note, uint32(count))
	for i, to := range n.InOrder {
		bytes := uint32(min(len(parts[i]), byMessage-1))
		if c.isShort(len(parts[i])) && end+len(parts[i]) <= len(note) {
			end += copy(note[end:], parts[i])
		} else {
			late.destinations = append(late.destinations, i)
			bytes |= byMessage
		}
		binary.NativeEndian.PutUint32(note[head:], uint32(to))
		binary.NativeEndian.PutUint32(note[head+4:], bytes)
		head += partBytes
	}
	return note[:end], late
}

// sameParts returns the part that goes to all neighbours, if it is short.
func (c *Comm) sameParts(n *algorithm.Neighbours, parts [][]byte) (part []byte, same bool) {
	first := true
	for i := range n.InOrder {
		if first {
			part, first = parts[i], false
		}
		if len(parts[i]) != len(part) || len(part) > 0 && &parts[i][0] != &part[0] {
			return nil, false
		}
	}
	return part, c.isShort(len(part))
}

// takeNear copies the part of a source, or reports that it comes by a message. Of several parts from one rank the first
// source gets the first one.
func (c *Comm) takeNear(n *algorithm.Neighbours, source int, into []byte) (late bool, err error) {
	from, before := n.Sources[source], 0
	for _, other := range n.Sources[:source] {
		if other == from {
			before++
		}
	}
	part, late := partFor(c.Rank(), before, c.shared.barrier.Note(from))
	if late {
		return true, nil
	}
	copy(into, part)
	return false, c.checkNote(from, len(part), len(into))
}

// partFor returns the part of a note that is for a rank, behind some others for it, or reports that it comes by a message. It is
// nil if there is none: the other rank does not know this one, or has called something else.
func partFor(rank, before int, note []byte) (part []byte, late bool) {
	if len(note) < headBytes {
		return nil, false
	}
	count := binary.NativeEndian.Uint32(note)
	switch count {
	case onePart:
		return note[headBytes:], false
	case noParts:
		return nil, true
	}
	if uint64(count)*partBytes > uint64(len(note)-headBytes) {
		return nil, false
	}
	heads, parts := note[headBytes:][:count*partBytes], note[headBytes+count*partBytes:]
	for ; len(heads) > 0; heads = heads[partBytes:] {
		to, bytes := binary.NativeEndian.Uint32(heads), binary.NativeEndian.Uint32(heads[4:])
		isLate := bytes&byMessage != 0
		if isLate {
			bytes = 0
		}
		switch {
		case int(bytes) > len(parts):
			return nil, false
		case int(to) == rank && before == 0:
			return parts[:bytes], isLate
		case int(to) == rank:
			before--
		}
		parts = parts[bytes:]
	}
	return nil, false
}
