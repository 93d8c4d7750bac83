package nic

import "fmt"

// PageSegmenter cuts a transfer into packets none of which crosses a page boundary, neither
// where its data is read nor where it is written. A transfer without data is one packet.
type PageSegmenter struct {
	source, target uint64
	size, payload  int
	next           int // offset of the next packet
	done           bool
}

// NewPageSegmenter cuts a transfer of size bytes from an address of one memory to one of
// another, into packets of at most payload bytes of data. It panics if size is negative or
// reaches beyond addresses of 32 bits, or payload is not 1 to MaxMemoryData.
func NewPageSegmenter(source, target uint32, size, payload int) PageSegmenter {
	if size < 0 || uint64(max(source, target))+uint64(size) > 1<<32 {
		panic(fmt.Sprintf("nic: transfer of %d bytes from %#x to %#x; expected at least 0, in addresses of 32 bits", size, source, target))
	}
	if payload < 1 || payload > MaxMemoryData {
		panic(fmt.Sprintf("nic: packets of %d bytes of data; expected 1 to %d", payload, MaxMemoryData))
	}
	return PageSegmenter{source: uint64(source), target: uint64(target), size: size, payload: payload}
}

// Next returns the next packet: the offset of its data in the transfer, and how many bytes
// of data it has. It is not ok if there are no more.
func (s *PageSegmenter) Next() (offset, n int, ok bool) {
	if s.done {
		return 0, 0, false
	}
	offset = s.next
	n = min(s.payload, s.size-offset, leftInPage(s.source, offset), leftInPage(s.target, offset))
	s.next += n
	s.done = s.next == s.size
	return offset, n, true
}

// leftInPage returns how many bytes follow in the page that offset lies in, at least 1.
func leftInPage(begin uint64, offset int) int {
	return PageSize - int((begin+uint64(offset))%PageSize)
}
