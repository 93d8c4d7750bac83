package collective

import (
	"cmp"
	"encoding/binary"
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/elements"
	"musubi/rma"
)

// byNotes carries a blocking operation out on the shared barrier, if its data is short. It reports
// false if the operation has to go by messages.
func (r *Operation) byNotes() (done bool, err error) {
	switch {
	case r.comparison != nil:
		return false, nil
	case r.Near != nil:
		return r.nearByNotes()
	}
	if done, err = r.onBarrier(); done {
		r.C.collectives.chosen = algorithm.Notes
		err = cmp.Or(r.C.shared.failed, r.spoiled, err)
	}
	return done, err
}

func (r *Operation) onBarrier() (done bool, err error) {
	way := &noteWays[r.kind]
	if way.do == nil || way.short != nil && !way.short(r) {
		return false, nil
	}
	if use, err := r.C.useBarrier(r.Call, r.kind); !use || err != nil {
		return use, err
	}
	return way.do(r.C, r)
}

// noteWay is how an operation goes by notes.
type noteWay struct {
	short func(*Operation) bool                 // whether the data is, as all ranks know; nil: the notes tell
	do    func(*Comm, *Operation) (bool, error) // like onBarrier; nil: the operation goes by messages
}

var noteWays = [len(algorithm.Operations)]noteWay{
	algorithm.Reduce:         {givesLittle, (*Comm).reduceByNotes},
	algorithm.ReduceScatter:  {sendsLittle, (*Comm).reduceScatterByNotes},
	algorithm.ReduceScatterV: {combinesLittle, (*Comm).reduceScatterVByNotes},
	algorithm.Gather:         {givesLittle, (*Comm).gatherByNotes},
	algorithm.GatherV:        {nil, (*Comm).gatherVByNotes},
	algorithm.Scatter:        {scattersLittle, (*Comm).scatterByNotes},
	algorithm.ScatterV:       {nil, (*Comm).scatterVByNotes},
	algorithm.AllGather:      {givesLittle, (*Comm).allGatherByNotes},
	algorithm.AllGatherV:     {gathersLittle, (*Comm).allGatherVByNotes},
	algorithm.AllToAll:       {sendsLittle, (*Comm).allToAllByNotes},
	algorithm.AllToAllV:      {nil, (*Comm).allToAllVByNotes},
	algorithm.Scan:           {scansLittle, (*Comm).scanByNotes},
	algorithm.ExScan:         {scansLittle, (*Comm).scanByNotes},
}

// givesLittle is for operations to which all ranks give as much.
func givesLittle(r *Operation) bool { return r.C.isShort(len(r.In)) }

func scansLittle(r *Operation) bool { return givesLittle(r) && r.C.ScansByNotes() }

// ScansByNotes reports whether scans go by notes, if their data is short. Where ranks share processors messages let the first ranks be further
// ahead of the last ones.
func (c *Comm) ScansByNotes() bool { return !c.Engine.Oversubscribed }

// gathersLittle is for parts whose lengths all ranks know.
func gathersLittle(r *Operation) bool {
	return !slices.ContainsFunc(r.Outs, func(out []byte) bool { return !r.C.isShort(len(out)) })
}

func scattersLittle(r *Operation) bool { return r.C.isShortForEach(len(r.Out) * r.C.Size()) }

func sendsLittle(r *Operation) bool { return r.C.isShortForEach(len(r.In)) }

func combinesLittle(r *Operation) bool { return r.C.isShortForEach(bytesOf(r.Ins)) }

func bytesOf(parts [][]byte) (n int) {
	for _, part := range parts {
		n += len(part)
	}
	return n
}

// isShortForEach reports whether a note has room for the parts of some bytes of all ranks.
func (c *Comm) isShortForEach(bytes int) bool {
	return bytes <= c.MostInNote()*c.Size() && bytes <= rma.NoteBytes
}

// note returns what this rank posts: nothing if the operation is to fail, so that others fail as well.
func (r *Operation) note(data []byte) []byte {
	if r.spoiled != nil {
		return nil
	}
	return data
}

// fromRoot lets the root post a note, for which the others wait. It returns that note at the others.
func (c *Comm) fromRoot(root int, note []byte) ([]byte, error) {
	if c.Rank() == root {
		return nil, c.postNote(note, true)
	}
	if err := c.postNote(nil, false); err != nil {
		return nil, err
	}
	if err := c.awaitNote(root); err != nil {
		return nil, err
	}
	return c.shared.barrier.Note(root), nil
}

// toRoot lets all ranks post a note, for which the root waits.
func (c *Comm) toRoot(root int, note []byte) error {
	if err := c.postNote(note, false); err != nil || c.Rank() != root {
		return err
	}
	return c.awaitNote(rma.AllMembers)
}

// fromAll posts a note, and waits for the notes of all other ranks.
func (c *Comm) fromAll(note []byte) error {
	if err := c.postNote(note, false); err != nil {
		return err
	}
	return c.awaitNote(rma.AllMembers)
}

// takeNote copies the note of a rank, or fails if it has another length.
func (c *Comm) takeNote(rank int, into []byte) error {
	note := c.shared.barrier.Note(rank)
	if err := c.checkNote(rank, len(note), len(into)); err != nil {
		return err
	}
	copy(into, note)
	return nil
}

// reduceByNotes combines in the order of a binomial tree, so that the result has the same bits.
func (c *Comm) reduceByNotes(r *Operation) (bool, error) {
	if err := c.toRoot(r.Root, r.note(r.In)); err != nil || c.Rank() != r.Root {
		return true, err
	}
	return true, c.combineNotes(c.shared.barrier, r.kind, r.Root, 0, len(r.In), r.Out, &r.Op)
}

func (c *Comm) reduceScatterByNotes(r *Operation) (bool, error) {
	if n := len(r.Out); c.Size() == 2 {
		return true, c.scatterTwo(r, r.In[c.Rank()*n:][:n], r.In[(1-c.Rank())*n:][:n])
	}
	if err := c.fromAll(r.note(r.In)); err != nil {
		return true, err
	}
	return true, c.combineNotes(c.shared.barrier, r.kind, 0, c.Rank()*len(r.Out), len(r.In), r.Out, &r.Op)
}

func (c *Comm) reduceScatterVByNotes(r *Operation) (bool, error) {
	if c.Size() == 2 {
		return true, c.scatterTwo(r, r.Ins[c.Rank()], r.Ins[1-c.Rank()])
	}
	bytes := bytesOf(r.Ins)
	note := c.draft(bytes)[:0]
	for _, part := range r.Ins {
		note = append(note, part...)
	}
	if err := c.fromAll(r.note(note)); err != nil {
		return true, err
	}
	return true, c.combineNotes(c.shared.barrier, r.kind, 0, bytesOf(r.Ins[:c.Rank()]), bytes, r.Out, &r.Op)
}

// scatterTwo combines the parts that two ranks have for this one.
func (c *Comm) scatterTwo(r *Operation, own, others []byte) error {
	first := c.draft(len(own)) // out may lie where own does
	copy(first, own)
	second, err := c.swapParts(r, others, len(r.Out))
	if err != nil {
		return err
	}
	if c.Rank() == 1 {
		first, second = second, first
	}
	combineTwo(first, second, r.Out, &r.Op)
	return nil
}

// swapParts lets two ranks post what each has for the other one, and nothing else, as notes are to lie in few lines of memory.
// It returns what is for this one.
func (c *Comm) swapParts(r *Operation, part []byte, bytes int) ([]byte, error) {
	if err := c.fromAll(r.note(part)); err != nil {
		return nil, err
	}
	other := 1 - c.Rank()
	note := c.shared.barrier.Note(other)
	return note, c.checkNote(other, len(note), bytes)
}

// scanByNotes is for both kinds of scans. A rank waits for those before it only. Rank 0 gets nothing from a scan that leaves out each
// rank's own elements.
func (c *Comm) scanByNotes(r *Operation) (bool, error) {
	if err := c.postNote(r.note(r.In), false); err != nil {
		return true, err
	}
	n, own, exclusive := len(r.In), c.Rank(), r.kind == algorithm.ExScan
	parts := c.draft((own + 1) * n)
	part := func(rank int) []byte { return parts[rank*n:][:n:n] }
	for rank := range own {
		if err := c.awaitNote(rank); err != nil {
			return true, err
		}
		if err := c.takeNote(rank, part(rank)); err != nil {
			return true, err
		}
	}
	if copy(part(own), r.In); n == 0 || exclusive && own == 0 {
		return true, nil
	}
	if exclusive {
		copy(part(own), part(own-1))
	}
	algorithm.ScanAs(own, exclusive, func(from, into int) { r.Op.Apply(part(from), part(into)) })
	copy(r.Out, part(own))
	return true, nil
}

func (c *Comm) gatherByNotes(r *Operation) (bool, error) {
	if err := c.toRoot(r.Root, r.note(r.In)); err != nil || c.Rank() != r.Root {
		return true, err
	}
	return true, c.takeEqual(r)
}

func (c *Comm) allGatherByNotes(r *Operation) (bool, error) {
	if err := c.fromAll(r.note(r.In)); err != nil {
		return true, err
	}
	return true, c.takeEqual(r)
}

// takeEqual copies the notes of all ranks, of the length of this rank's own.
func (c *Comm) takeEqual(r *Operation) error {
	n := len(r.In)
	copy(r.Out[c.Rank()*n:], r.In)
	for rank := range c.Size() {
		if rank == c.Rank() {
			continue
		}
		if err := c.takeNote(rank, r.Out[rank*n:][:n]); err != nil {
			return err
		}
	}
	return nil
}

func (c *Comm) allGatherVByNotes(r *Operation) (bool, error) {
	if err := c.fromAll(r.note(r.In)); err != nil {
		return true, err
	}
	for rank, out := range r.Outs {
		if err := c.takeNote(rank, out); err != nil {
			return true, err
		}
	}
	return true, nil
}

func (c *Comm) scatterByNotes(r *Operation) (bool, error) {
	note, err := c.fromRoot(r.Root, r.note(r.In))
	switch {
	case err != nil:
		return true, err
	case c.Rank() == r.Root:
		note = r.In
	}
	n := len(r.Out)
	if err := c.checkNote(r.Root, len(note), n*c.Size()); err != nil {
		return true, err
	}
	copy(r.Out, note[c.Rank()*n:])
	return true, nil
}

func (c *Comm) allToAllByNotes(r *Operation) (bool, error) {
	if c.Size() == 2 {
		return true, c.exchangeTwo(r)
	}
	if err := c.fromAll(r.note(r.In)); err != nil {
		return true, err
	}
	size := c.Size()
	n := len(r.In) / size
	for rank := range size {
		note := c.shared.barrier.Note(rank)
		if err := c.checkNote(rank, len(note)/size, n); err != nil {
			return true, err
		}
		copy(r.Out[rank*n:][:n], note[c.Rank()*n:])
	}
	return true, nil
}

// exchangeTwo is an AllToAll of two ranks.
func (c *Comm) exchangeTwo(r *Operation) error {
	own, n := c.Rank(), len(r.In)/2
	note, err := c.swapParts(r, r.In[(1-own)*n:][:n], n)
	if err != nil {
		return err
	}
	copy(r.Out[own*n:][:n], r.In[own*n:][:n])
	copy(r.Out[(1-own)*n:][:n], note)
	return nil
}

// Parts of different lengths, of which others know only those for themselves: what is too long comes by messages.

// partComesByMessage is the note in place of a part: it is longer than any that notes carry.
var partComesByMessage = make([]byte, mostOfFew+1)

// partNote returns the note with a part for one rank.
func (c *Comm) partNote(part []byte) []byte {
	if !c.isShort(len(part)) {
		return partComesByMessage[:c.MostInNote()+1]
	}
	return part
}

// gatherVByNotes lets each rank decide whether its part is short. The root receives the long ones.
func (c *Comm) gatherVByNotes(r *Operation) (bool, error) {
	isRoot := c.Rank() == r.Root
	var note []byte
	if !isRoot {
		note = c.partNote(r.In)
	}
	if err := c.toRoot(r.Root, note); err != nil {
		return true, err
	}
	switch {
	case isRoot:
		return c.takeParts(r)
	case !c.isShort(len(note)):
		r.tagByRound()
		return false, nil
	}
	return true, nil
}

// tagByRound gives an operation that goes on by messages, though not at all ranks, the tag of the present round: others do
// not count it.
func (r *Operation) tagByRound() {
	r.tagged, r.Tag = true, countedTags+int32(r.C.shared.barrier.Round()%(groupTags-countedTags))
}

// takeParts copies the parts that are in notes to the root of a GatherV. It reports whether these are all; else the
// operation goes on by messages with the others.
func (c *Comm) takeParts(r *Operation) (all bool, err error) {
	var long [][]byte // where the others go; nil: there are none
	copy(r.Outs[r.Root], r.In)
	for rank, out := range r.Outs {
		if rank == r.Root {
			continue
		}
		note := c.shared.barrier.Note(rank)
		if !c.isShort(len(note)) {
			if long == nil {
				long = make([][]byte, c.Size())
			}
			long[rank] = out
			continue
		}
		err = cmp.Or(err, c.checkNote(rank, len(note), len(out)))
		copy(out, note)
	}
	if long == nil {
		return true, err
	}
	r.tagByRound()
	r.Algorithm, r.Outs, r.spoiled = algorithm.RestOfGatherV, long, cmp.Or(r.spoiled, err)
	return false, nil
}

// scatterVByNotes lets the root decide. All ranks hear that its parts are too long, and then do not try for a while.
func (c *Comm) scatterVByNotes(r *Operation) (bool, error) {
	m := &c.shared
	if m.scatters.waits() {
		return false, nil
	}
	var note []byte
	if c.Rank() == r.Root {
		note = r.note(c.partsNote(r.Ins))
	}
	posted, err := c.fromRoot(r.Root, note)
	if err != nil {
		return true, err
	}
	if c.Rank() == r.Root {
		copy(r.Out, r.Ins[r.Root])
		posted = note
	}
	if len(posted) > 0 && posted[0] == partsComeByMessage {
		m.scatters.fail()
		return false, nil
	}
	m.scatters = backoff{}
	switch {
	case c.Rank() == r.Root:
		return true, nil
	case len(posted) == 0:
		return true, c.checkNote(r.Root, 0, len(r.Out))
	}
	return true, c.takePart(r.Root, posted, r.Out)
}

// allToAllVByNotes goes by messages if the parts of any rank are too long. All ranks see that, and
// then do not try for a while.
func (c *Comm) allToAllVByNotes(r *Operation) (bool, error) {
	m := &c.shared
	if m.exchanges.waits() {
		return false, nil
	}
	if c.Size() == 2 {
		return c.exchangeParts(r)
	}
	if err := c.fromAll(r.note(c.partsNote(r.Ins))); err != nil {
		return true, err
	}
	for rank := range c.Size() {
		if note := m.barrier.Note(rank); len(note) > 0 && note[0] == partsComeByMessage {
			m.exchanges.fail()
			return false, nil
		}
	}
	m.exchanges = backoff{}
	for rank, out := range r.Outs {
		if rank == c.Rank() {
			copy(out, r.Ins[rank])
			continue
		}
		note := m.barrier.Note(rank)
		if len(note) == 0 {
			return true, c.checkNote(rank, 0, len(out))
		}
		if err := c.takePart(rank, note, out); err != nil {
			return true, err
		}
	}
	return true, nil
}

// ExchangesByNotes reports whether the next AllToAllV goes by notes, if its parts are short. So do all that follow, as long as
// their parts are short.
func (c *Comm) ExchangesByNotes() bool { return c.shared.exchanges == backoff{} }

// ScattersByNotes reports the same of ScatterV.
func (c *Comm) ScattersByNotes() bool { return c.shared.scatters == backoff{} }

// exchangeParts is allToAllVByNotes of two ranks, whose notes are what each has for the other one.
func (c *Comm) exchangeParts(r *Operation) (bool, error) {
	m, own := &c.shared, c.Rank()
	other := 1 - own
	if err := c.fromAll(r.note(c.partNote(r.Ins[other]))); err != nil {
		return true, err
	}
	note := m.barrier.Note(other)
	if !c.isShort(len(note)) || !c.isShort(len(m.barrier.Note(own))) {
		m.exchanges.fail()
		return false, nil
	}
	m.exchanges = backoff{}
	copy(r.Outs[own], r.Ins[own])
	copy(r.Outs[other], note)
	return true, c.checkNote(other, len(note), len(r.Outs[other]))
}

// A note with parts for all ranks says first whether these follow, as it may be as long as any.
const (
	partsFollow = iota
	partsComeByMessage
)

// lengthBytes is how such a note tells the length of a part.
const lengthBytes = 2

// partsNote returns a note with parts for all other ranks: their lengths, and then the parts. This rank's own is in it
// without data, as the note is to lie in few lines of memory.
func (c *Comm) partsNote(parts [][]byte) []byte {
	bytes := 1 + lengthBytes*len(parts)
	head, short := bytes, true
	for rank, part := range parts {
		if rank != c.Rank() {
			bytes += len(part)
			short = short && c.isShort(len(part))
		}
	}
	if !short || bytes > rma.NoteBytes {
		note := c.draft(1)
		note[0] = partsComeByMessage
		return note
	}
	note := c.draft(bytes)
	note[0] = partsFollow
	at := head
	for rank, part := range parts {
		if rank == c.Rank() {
			part = nil
		}
		binary.LittleEndian.PutUint16(note[1+lengthBytes*rank:], uint16(len(part)))
		at += copy(note[at:], part)
	}
	return note
}

// takePart copies this rank's part of a note of partsNote.
func (c *Comm) takePart(from int, note, into []byte) error {
	length := func(rank int) int { return int(binary.LittleEndian.Uint16(note[1+lengthBytes*rank:])) }
	at := 1 + lengthBytes*c.Size()
	for rank := range c.Rank() {
		at += length(rank)
	}
	n := length(c.Rank())
	if err := c.checkNote(from, n, len(into)); err != nil {
		return err
	}
	copy(into, note[at:][:n])
	return nil
}

// draft returns scratch memory to put a note together.
func (c *Comm) draft(bytes int) []byte {
	m := &c.shared
	if n := (bytes + 7) / 8; n > len(m.scratch) {
		m.scratch = make([]uint64, n)
	}
	return elements.Memory(m.scratch)[:bytes]
}

// backoff lets a way that has failed several times in a row wait for longer and longer. It goes alike at all ranks.
type backoff struct{ failures, left int }

// mostFailures is up to how many failures in a row the time doubles.
const mostFailures = 6

// waits reports whether it is too early to try again, and counts.
func (b *backoff) waits() bool {
	if b.left == 0 {
		return false
	}
	b.left--
	return true
}

func (b *backoff) fail() {
	b.left = 1<<b.failures - 1
	b.failures = min(b.failures+1, mostFailures)
}
