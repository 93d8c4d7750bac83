package rank

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"musubi/live/queue"
	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/onesided"
	"musubi/rma"
)

// memory is what a rank lets others reach.
type memory struct {
	segments []segment
	withdrew []int // numbers of segments to be used again, the last one first
	arena    shm.Arena
	copier   shm.Copier // to it
	windows  int        // exposed, in the arena
	notes    int        // shared barriers, in the arena
	beside   *beside
	pushes   uint64 // changes of memory that others have asked for
}

type segment struct {
	memory  []byte
	exposed bool
	window  bool // in the arena
	begin   int  // there
	within  bool // memory of an arena that is exposed once more
}

// Expose exposes memory. What ranks share lies in an arena, and others reach it as directly as a
// window.
func (r *Rank) Expose(memory []byte) int {
	begin := offsetIn(r.job.Arenas, memory)
	if begin < 0 || begin%shm.WordBytes != 0 {
		return r.expose(segment{memory: memory, exposed: true})
	}
	number := r.expose(segment{memory: memory, exposed: true, within: true, begin: begin})
	r.publish(number, len(memory), begin)
	return number
}

// offsetIn returns where memory lies in a larger piece; -1: not there, or it is empty.
func offsetIn(all, memory []byte) int {
	if len(all) == 0 || len(memory) == 0 {
		return -1
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(memory))) - uintptr(unsafe.Pointer(unsafe.SliceData(all)))
	if at >= uintptr(len(all)) || uintptr(len(all))-at < uintptr(len(memory)) {
		return -1
	}
	return int(at)
}

// publish tells others where in the arenas a segment is.
func (r *Rank) publish(number, bytes, begin int) {
	if number < shm.MaxWindows {
		place := r.place(number)
		place.Bytes = uint64(bytes)
		place.Begin.Store(uint64(begin) + 1)
	}
}

// expose enters a segment, and returns its number.
func (r *Rank) expose(s segment) int {
	number := len(r.segments)
	if n := len(r.withdrew); n > 0 {
		number = r.withdrew[n-1]
		r.withdrew = r.withdrew[:n-1]
		r.segments[number] = s
	} else {
		r.segments = append(r.segments, s)
	}
	begin := queue.OutsideArenas
	switch {
	case s.window:
		begin = r.arena.Begin + s.begin
	case s.within:
		begin = s.begin
	}
	r.commands.Publish(number, s.memory, begin)
	return number
}

// ExposeWindow exposes memory of the arena, or if that is full, other memory.
func (r *Rank) ExposeWindow(bytes int) (int, []byte, error) {
	if bytes < 0 {
		return 0, nil, fmt.Errorf("rma: window of %d bytes; expected at least 0", bytes)
	}
	if r.far != nil {
		if err := r.far.Attend(); err != nil {
			return 0, nil, fmt.Errorf("live: preparing to let other ranks use a window while the program computes: %w", err)
		}
	}
	begin := r.arena.Take(bytes)
	if begin < 0 {
		memory := make([]byte, bytes)
		number := r.Expose(memory)
		r.beside.windows.add(number)
		return number, memory, nil
	}
	memory := r.arena.Memory[begin:][:bytes:bytes]
	number := r.expose(segment{memory: memory, exposed: true, window: true, begin: begin})
	r.beside.windows.add(number)
	r.windows++
	r.publish(number, bytes, r.arena.Begin+begin)
	return number, memory, nil
}

// ExposeShared is ExposeWindow without other memory.
func (r *Rank) ExposeShared(bytes int) (int, []byte, error) {
	tooMuch := fmt.Errorf("rma: shared memory of %d bytes; an arena has %d, and %d windows at most", bytes, len(r.arena.Memory), shm.MaxWindows)
	if bytes > len(r.arena.Memory) { // other memory may not exist either
		return 0, nil, tooMuch
	}
	number, memory, err := r.ExposeWindow(bytes)
	if err != nil {
		return 0, nil, err
	}
	if len(memory) > 0 && (!r.segments[number].window || number >= shm.MaxWindows) {
		return 0, nil, errors.Join(tooMuch, r.Withdraw(number))
	}
	return number, memory, nil
}

// SharedBy returns shared memory of another rank.
func (r *Rank) SharedBy(rank, number int) ([]byte, error) {
	if !r.Shares(rank) || uint(number) >= shm.MaxWindows {
		return nil, fmt.Errorf("rma: SharedBy of segment %d of rank %d, which rank %d does not share", number, rank, r.number)
	}
	place := &r.job.Tables[rank].Windows[number]
	begin := place.Begin.Load()
	if begin == 0 {
		return nil, fmt.Errorf("rma: SharedBy of segment %d of rank %d, which is not shared memory", number, rank)
	}
	return r.job.Arenas[begin-1:][:place.Bytes:place.Bytes], nil
}

// CopyShared copies to memory of the arena.
func (r *Rank) CopyShared(memory, data []byte) { r.copier.Copy(memory, data) }

// place is where a window of this rank is, as others see it.
func (r *Rank) place(number int) *shm.WindowPlace { return &r.job.Tables[r.number].Windows[number] }

func (r *Rank) Withdraw(number int) error {
	if !r.isExposed(number) {
		return fmt.Errorf("rma: Withdraw of segment %d, which rank %d does not expose", number, r.number)
	}
	s := r.segments[number]
	if (s.window || s.within) && number < shm.MaxWindows {
		r.place(number).Begin.Store(0)
	}
	r.beside.windows.remove(number)
	r.commands.Unpublish(number)
	if err := r.await(shm.InWithdraw, func() bool { return !r.isUsed(number) && !r.isReached(number) }); err != nil {
		return err
	}
	if s.window {
		r.windows--
		r.arena.GiveBack(s.begin, len(s.memory))
	}
	r.segments[number] = segment{}
	r.withdrew = append(r.withdrew, number)
	return nil
}

func (r *memory) isExposed(number int) bool {
	return number >= 0 && number < len(r.segments) && r.segments[number].exposed
}

// isUsed reports whether a push to a segment, a change of its words, or a pull or an answer
// from it, is under way.
func (r *Rank) isUsed(number int) bool {
	for i := range r.in {
		push, pull, change := &r.in[i].push, &r.in[i].pull, &r.in[i].accumulation
		if push.open && push.segment == number || pull.open && pull.segment == number || change.open && change.segment == number {
			return true
		}
	}
	for i := range r.out {
		if slices.ContainsFunc(r.out[i].queue.all(), func(t wire.Transfer) bool { return t.Kind == wire.Answer && t.Segment == number }) {
			return true
		}
		if r.out[i].way.IsReading(number) {
			return true
		}
	}
	return false
}

func (r *Rank) Load(number, offset int, gather rma.Layout, into []byte, _ rma.Caching) error {
	access := gather
	n := access.Bytes()
	if access.IsContiguous() {
		n = len(into)
	}
	if n > len(into) {
		return fmt.Errorf("rma: Load of %d bytes into %d", n, len(into))
	}
	memory, problem := r.reach(number, uint64(offset), uint64(n), &access)
	if problem.Code != 0 {
		return problem.Explain(rma.Address{Rank: r.number, Segment: number, Offset: offset}, n)
	}
	access.Gather(into[:n], memory, 0)
	return nil
}

// reach returns the memory of a segment from an offset on, if an access to n bytes
// stays inside.
func (r *memory) reach(number int, offset, n uint64, access *onesided.Layout) ([]byte, wire.Report) {
	if !r.isExposed(number) {
		return nil, wire.Report{Code: wire.NotExposed}
	}
	return within(r.segments[number].memory, offset, n, access)
}

// within returns memory from an offset on, if an access to n bytes stays inside.
func within(memory []byte, offset, n uint64, access *onesided.Layout) ([]byte, wire.Report) {
	if offset > uint64(len(memory)) {
		return nil, wire.Report{Code: wire.Outside, Hint: uint64(len(memory))}
	}
	rest := memory[offset:]
	if access.IsContiguous() {
		if n > uint64(len(rest)) {
			return nil, wire.Report{Code: wire.Outside, Hint: uint64(len(memory))}
		}
		return rest[:n], wire.Report{}
	}
	if access.Check(len(rest)) != nil {
		return nil, wire.Report{Code: wire.Outside, Hint: uint64(len(memory))}
	}
	return rest, wire.Report{}
}
