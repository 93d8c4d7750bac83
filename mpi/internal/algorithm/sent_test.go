package algorithm

import (
	"testing"

	"musubi/internal/phantom"
	"musubi/mpi/internal/schedule"
)

// sentByAll counts what all ranks send.
func sentByAll(kind Operation, name string, size, root, bytes int) (messages, data int64) {
	memory := phantom.New()
	defer memory.Free()
	a := kind.argumentsOf(memory, size, bytes)
	a.Root = root
	for rank := range size {
		var s schedule.Schedule
		s.Reset(rank, size)
		Operations[kind].named(name, &a, size).Build(&s, a)
		for i := range s.Steps {
			m, n := s.Sent(&s.Steps[i])
			messages, data = messages+int64(m), data+int64(n)
		}
	}
	return messages, data
}

// What all ranks send is exact where few do, and within a factor of two elsewhere; what rooted
// operations send by a tree within three.
func TestSentIsWhatAllRanksSend(t *testing.T) {
	for kind := range Operations {
		for _, size := range []int{1, 2, 7, 16, 17, 64, 200} {
			for _, name := range append(Operations[kind].NamesFor(size), "auto") {
				for _, bytes := range []int{8, 64 << 10} {
					root := size / 3
					got, gotBytes := Operation(kind).Sent(name, size, root, bytes)
					want, wantBytes := sentByAll(Operation(kind), name, size, root, bytes)
					most := int64(1)
					if size > sampled+1 {
						most = 3
					}
					if got > most*want || want > most*got || gotBytes > most*wantBytes || wantBytes > most*gotBytes {
						t.Errorf("%s by %s, %d ranks: %d messages of %d bytes; expected %d of %d", Operations[kind].Name, name, size, got, gotBytes, want, wantBytes)
					}
				}
			}
		}
	}
}
