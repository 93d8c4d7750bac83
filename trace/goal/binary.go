package goal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"

	"musubi/internal/spill"
	"musubi/trace/schedule"
)

// Marks at the beginning of a binary schedule.
const (
	cookie      = 4223
	invalidated = 2342 // LogGOPSim has run it with --save-mem, which changes the file
)

// Sizes of the binary form, which has no padding, in bytes.
const (
	headBytes  = 14 // mark, ranks, last cpu, last nic
	spanBytes  = 16 // where a rank lies
	graphBytes = 8  // numbers of operations, and of those that wait for none
	opBytes    = 39
	base       = 8 // spans count from behind the mark
)

// IsBinary reports whether a file that begins like this is binary.
func IsBinary(head []byte) bool {
	if len(head) < 8 {
		return false
	}
	mark := binary.LittleEndian.Uint64(head)
	return mark == cookie || mark == invalidated
}

// ReadBinary reads a schedule in the form that LogGOPSim's txt2bin writes. It reads one rank after the
// other, and checks all that it reads: an operation that waits for more than lead to it would wait for
// ever.
func ReadBinary(r io.ReaderAt, size int64) (*schedule.Schedule, error) {
	head := make([]byte, headBytes)
	if size < headBytes {
		return nil, fmt.Errorf("%d bytes; expected at least %d", size, headBytes)
	}
	if _, err := r.ReadAt(head, 0); err != nil {
		return nil, err
	}
	switch binary.LittleEndian.Uint64(head) {
	case cookie:
	case invalidated:
		return nil, errors.New("LogGOPSim has run this file with --save-mem, which leaves it without dependencies; expected a fresh one of txt2bin")
	default:
		return nil, fmt.Errorf("mark %d; expected %d, of a binary schedule", binary.LittleEndian.Uint64(head), cookie)
	}
	ranks := int64(binary.LittleEndian.Uint32(head[8:]))
	if ranks < 1 || ranks > mostRanks || headBytes+spanBytes*ranks > size {
		return nil, fmt.Errorf("%d ranks in %d bytes; expected 1 to %d ranks, with %d bytes for each and their operations", ranks, size, mostRanks, spanBytes)
	}
	spans := make([]byte, spanBytes*ranks)
	if _, err := r.ReadAt(spans, headBytes); err != nil {
		return nil, err
	}
	s := schedule.New()
	free := uint64(headBytes - base + spanBytes*ranks) // from here on no rank has been
	for i := range int(ranks) {
		from := binary.LittleEndian.Uint64(spans[spanBytes*i:])
		to := binary.LittleEndian.Uint64(spans[spanBytes*i+8:])
		if from < free || from > to || to > uint64(size)-base || to-from > math.MaxInt32*opBytes {
			return nil, fmt.Errorf("rank %d lies at bytes %d to %d; expected them behind byte %d of %d", i, from+base, to+base, free+base, size)
		}
		free = to
		area := spill.New()
		data := spill.Make[byte](area, int(to-from))
		if _, err := r.ReadAt(data, int64(from)+base); err != nil {
			return nil, err
		}
		if err := decodeRank(s.AddRank(), data, uint32(ranks), area); err != nil {
			return nil, fmt.Errorf("rank %d: %w", i, err)
		}
		s.Used(len(s.Ranks[i].Ops))
		runtime.KeepAlive(area)
	}
	s.CPUs, s.NICs = int(head[12])+1, int(head[13])+1
	return s, checkCounts(s)
}

// checkCounts fails if an operation has a cpu or nic that the head does not count.
func checkCounts(s *schedule.Schedule) error {
	cpus, nics := s.CPUs, s.NICs
	if s.Count(); s.CPUs > cpus || s.NICs > nics {
		return fmt.Errorf("operations on cpu %d and nic %d; the head names %d and %d as the last ones", s.CPUs-1, s.NICs-1, cpus-1, nics-1)
	}
	return nil
}

// decodeRank reads the operations of a rank. The area is for what is needed on the way.
func decodeRank(r *schedule.Rank, data []byte, ranks uint32, area *spill.Area) error {
	if len(data) < graphBytes {
		return fmt.Errorf("%d bytes; expected at least %d", len(data), graphBytes)
	}
	n, roots := int64(binary.LittleEndian.Uint32(data)), int64(binary.LittleEndian.Uint32(data[4:]))
	at := graphBytes + 4*roots
	if n*opBytes+at > int64(len(data)) || (int64(len(data))-at-n*opBytes)%4 != 0 {
		return fmt.Errorf("%d operations, %d of which wait for none, in %d bytes", n, roots, len(data))
	}
	list := data[at+n*opBytes:]
	r.Ops = spill.Make[schedule.Op](r.Area(), int(n))
	r.Next = spill.Make[uint32](r.Area(), len(list)/4)[:0]
	waits := spill.Make[uint32](area, int(n))
	for i := range r.Ops {
		if err := decodeOp(r, i, data[at+int64(i)*opBytes:][:opBytes], list, ranks); err != nil {
			return fmt.Errorf("operation %d: %w", i+1, err)
		}
	}
	for _, to := range r.Next {
		waits[to]++
	}
	free := int64(0)
	for i := range r.Ops {
		if r.Ops[i].Waits != waits[i] {
			return fmt.Errorf("operation %d waits for %d; %d lead to it", i+1, r.Ops[i].Waits, waits[i])
		}
		if waits[i] == 0 {
			free++
		}
	}
	if free != roots {
		return fmt.Errorf("%d operations wait for none; the file lists %d", free, roots)
	}
	return nil
}

func decodeOp(r *schedule.Rank, i int, d, list []byte, ranks uint32) error {
	u32 := binary.LittleEndian.Uint32
	op := &r.Ops[i]
	*op = schedule.Op{
		Waits: u32(d), Kind: schedule.Kind(d[4]), Peer: u32(d[5:]), Size: binary.LittleEndian.Uint64(d[9:]), Tag: u32(d[17:]), CPU: d[21], NIC: d[22],
		First: uint32(len(r.Next)), Ended: u32(d[23:]), Started: u32(d[31:]),
	}
	switch {
	case op.Kind < schedule.Send || op.Kind > schedule.Calc:
		return fmt.Errorf("kind %d; expected 1 (send), 2 (recv) or 3 (calc)", op.Kind)
	case op.Kind != schedule.Calc && op.Peer >= ranks && !(op.Kind == schedule.Receive && op.Peer == schedule.Any):
		return fmt.Errorf("rank %d of %d", op.Peer, ranks)
	case op.Size > math.MaxInt64:
		return fmt.Errorf("size %d", op.Size)
	}
	if op.Kind == schedule.Calc && op.Tag > 999 { // no picoseconds of ours
		op.Tag = 0
	}
	for _, part := range [][]byte{d[23:31], d[31:39]} {
		count, first := int64(u32(part)), int64(u32(part[4:]))
		if count > 0 && 4*(first+count) > int64(len(list)) {
			return fmt.Errorf("%d operations wait for it, listed from place %d of %d", count, first, len(list)/4)
		}
		if int64(len(r.Next))+count > int64(len(list)/4) {
			return errors.New("lists of operations overlap")
		}
		for k := range count {
			to := u32(list[4*(first+k):])
			if int(to) >= len(r.Ops) {
				return fmt.Errorf("operation %d waits for it, of %d", int64(to)+1, len(r.Ops))
			}
			r.Next = append(r.Next, to)
		}
	}
	return nil
}

// WriteBinary writes a schedule in the form that LogGOPSim reads. Collective operations become messages. Calculations have the picoseconds
// beyond their nanoseconds as a tag, which others do not look at.
func WriteBinary(w io.Writer, s *schedule.Schedule) error {
	s, err := s.Expanded()
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	head := binary.LittleEndian.AppendUint64(nil, cookie)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(s.Ranks)))
	head = append(head, uint8(s.CPUs-1), uint8(s.NICs-1))
	at := uint64(headBytes - base + spanBytes*len(s.Ranks))
	for r := range s.Ranks {
		head = binary.LittleEndian.AppendUint64(head, at)
		at += sizeOf(&s.Ranks[r])
		s.Used(len(s.Ranks[r].Ops))
		head = binary.LittleEndian.AppendUint64(head, at)
	}
	_, _ = b.Write(head) // Flush tells what fails
	for r := range s.Ranks {
		encodeRank(b, &s.Ranks[r])
		s.Used(len(s.Ranks[r].Ops))
	}
	return b.Flush()
}

// rootsOf counts the operations that wait for none.
func rootsOf(r *schedule.Rank) (n int) {
	for i := range r.Ops {
		if r.Ops[i].Waits == 0 {
			n++
		}
	}
	return n
}

// sizeOf returns how many bytes a rank takes.
func sizeOf(r *schedule.Rank) uint64 {
	return uint64(graphBytes + 4*rootsOf(r) + opBytes*len(r.Ops) + 4*len(r.Next))
}

// encodeRank writes a rank. Flush tells what fails.
func encodeRank(b *bufio.Writer, r *schedule.Rank) {
	u32 := func(n uint32) { _, _ = b.Write(binary.LittleEndian.AppendUint32(b.AvailableBuffer(), n)) }
	u32(uint32(len(r.Ops)))
	u32(uint32(rootsOf(r)))
	for i := range r.Ops {
		if r.Ops[i].Waits == 0 {
			u32(uint32(i))
		}
	}
	for i := range r.Ops {
		op := &r.Ops[i]
		d := binary.LittleEndian.AppendUint32(b.AvailableBuffer(), op.Waits)
		d = append(d, byte(op.Kind))
		d = binary.LittleEndian.AppendUint32(d, op.Peer)
		d = binary.LittleEndian.AppendUint64(d, op.Size)
		d = binary.LittleEndian.AppendUint32(d, op.Tag)
		d = append(d, op.CPU, op.NIC)
		d = binary.LittleEndian.AppendUint32(d, op.Ended)
		d = binary.LittleEndian.AppendUint32(d, op.First)
		d = binary.LittleEndian.AppendUint32(d, op.Started)
		d = binary.LittleEndian.AppendUint32(d, op.First+op.Ended)
		_, _ = b.Write(d)
	}
	for _, to := range r.Next {
		u32(to)
	}
}
