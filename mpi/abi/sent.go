package abi

// SentLog has the last messages that the program has sent from rank to rank, so that one that has been sent eagerly can
// be told from those behind it when it is cancelled. See core.Comm.RevokeEager. Where there are lanes the front has
// it, which notes what it sends by itself.
type SentLog struct {
	count SentNumber
	last  [mostSent]sentMessage // by number, modulo the length
}

const mostSent = 128

type sentMessage struct {
	comm     int64 // handle
	to, tag  int32
	takeBack int64 // not 0: it has been asked for, so the message does not count any more
}

// SentNumber is the number of a message in the order of all, from 1; 0: none.
type SentNumber uint64

// UseLog makes a log that of the process.
func (p *Process) UseLog(l *SentLog) { p.sent = l }

// Note notes that the program sends a message, and returns its number.
func (p *Process) Note(m *Comm, to, tag int) SentNumber {
	l := p.sent
	l.count++
	l.last[l.count%mostSent] = sentMessage{comm: m.Handle, to: int32(to), tag: int32(tag)}
	return l.count
}

// SentBefore is a message that is to be taken back.
type SentBefore struct {
	Comm    *Comm
	To, Tag int
	Later   int // messages with its tag to the same rank behind it
}

// Forget returns where a message went, and from now on does not count it. It reports false if it is too long ago, or
// has been forgotten.
func (p *Process) Forget(n SentNumber) (SentBefore, bool) {
	l := p.sent
	if n == 0 || l.count-n >= mostSent {
		return SentBefore{}, false
	}
	m := &l.last[n%mostSent]
	if m.takeBack != 0 {
		return SentBefore{}, false
	}
	before := SentBefore{Comm: p.CommAt(m.comm), To: int(m.to), Tag: int(m.tag)}
	for i := n + 1; i <= l.count; i++ {
		if l.last[i%mostSent] == *m {
			before.Later++
		}
	}
	m.takeBack = 1
	return before, before.Comm != nil
}

// sentInLane returns the number of a send of the front by its handle, whose upper half has the lower half of the number.
func (l *SentLog) sentInLane(handle int64) SentNumber {
	return l.count - SentNumber(uint32(l.count)-uint32(handle>>32))
}

// isSentInLane reports whether a handle is that of a send that the front has sent by itself.
func isSentInLane(handle int64) bool { return int64(uint32(handle)) == SentInLane }
