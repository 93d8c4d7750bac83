package shm

// The lines of a short lap stay in the cache of the receiver, of which the sender must get each one back before it
// writes to it. That takes four times as long as to read it there: 7 us and 1.8 us for 64 KiB between processors that
// share their last cache. The lines of a lap that is longer than what a processor has for itself have left its cache when the sender
// comes back to them, and both copies take 1.8 us. So laps of long records grow. Each page of a longer lap costs both sides a
// fault once, so a lap is used some times before. Short records are faster in a short lap, whose lines are
// at hand, and what is written past the cache is as fast in any.
const (
	longRecord = 8 << 10
	farLap     = 2 << 20 // laps grow up to that
	farTurns   = 8       // laps of long records until the next one is twice as long
)

// lapState is what the records of a lap tell of the next one.
type lapState struct {
	turns int    // laps of long records since the last one that was longer
	near  uint64 // length of laps before long records made them longer; 0: they have not
}

// turn chooses the length of the next lap, by the records of the one that ends, of so many bytes.
func (w *Writer) turn(used uint64) {
	l := &w.laps
	long := 2*w.long >= used
	w.long = 0
	switch {
	case !long:
		l.turns = 0
		if l.near != 0 {
			w.lap, l.near = l.near, 0
		}
	case w.lap < farLap && w.lap <= w.mask:
		if l.turns++; l.turns < farTurns {
			return
		}
		if l.turns = 0; l.near == 0 {
			l.near = w.lap
		}
		w.lap *= 2
	}
}
