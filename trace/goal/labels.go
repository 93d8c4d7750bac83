package goal

import (
	"strconv"

	"musubi/internal/spill"
)

// labels are the operations of a rank by their names. Names that count up, as those of generated schedules do (l1, l2, ...), take
// no memory that grows with them.
type labels struct {
	counted map[string]*counted // by what stands before the number
	other   map[string]uint32
}

// counted are the operations of labels with the numbers from first on.
type counted struct {
	first uint64
	ops   []uint32
}

// clear begins a rank.
func (l *labels) clear() {
	l.other = map[string]uint32{}
	if l.counted == nil {
		l.counted = map[string]*counted{}
	}
	for _, c := range l.counted {
		c.ops = c.ops[:0]
	}
}

// add enters a name. A second one leaves the first its operation.
func (l *labels) add(area *spill.Area, name []byte, op uint32) {
	if _, known := l.find(name); known {
		return
	}
	head, n, ok := cutNumber(name)
	if !ok {
		l.other[string(name)] = op
		return
	}
	c := l.counted[string(head)]
	if c == nil {
		c = &counted{}
		l.counted[string(head)] = c
	}
	if len(c.ops) == 0 {
		c.first = n
	}
	if n != c.first+uint64(len(c.ops)) {
		l.other[string(name)] = op
		return
	}
	c.ops = spill.Append(area, c.ops, op)
}

// find returns the operation of a name.
func (l *labels) find(name []byte) (op uint32, known bool) {
	if head, n, ok := cutNumber(name); ok {
		if c := l.counted[string(head)]; c != nil && n-c.first < uint64(len(c.ops)) {
			return c.ops[n-c.first], true
		}
	}
	op, known = l.other[string(name)]
	return op, known
}

// cutNumber cuts a number off the end of a name. One with a zero in front is no number, as other names have it.
func cutNumber(name []byte) (head []byte, n uint64, ok bool) {
	at := len(name)
	for at > 0 && '0' <= name[at-1] && name[at-1] <= '9' {
		at--
	}
	digits := name[at:]
	if len(digits) == 0 || digits[0] == '0' && len(digits) > 1 {
		return nil, 0, false
	}
	n, err := strconv.ParseUint(string(digits), 10, 63)
	return name[:at], n, err == nil
}

func isLabel(name []byte) bool {
	for i, c := range name {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return len(name) > 0
}
