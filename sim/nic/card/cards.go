package card

import (
	"errors"

	"musubi/nic/dimmnet"
	"musubi/nic/register"
	"musubi/sim/host"
	"musubi/units"
)

// cards is what the machine file says about cards, and what ranks have of theirs.
type cards struct {
	*host.Env
	*Section
	clocks cardClocks
	users  []cardUser
}

// cardUser is what a rank has of its card.
type cardUser struct {
	card     int32
	share    int // ranks that share it
	regs     register.Registers
	port     dimmnet.Port
	windows  writeWindows
	prefetch int // Prefetch Windows that are not exposed
	cache    cache
	copies   cache     // the way of it that copies out of windows go through
	matching *matching // nil: the card does not match
}

// none stands for no window.
const none = -1

// writeWindows are the Write Windows of a rank, which it uses in turn. Whether one is free again
// the register of busy windows says.
type writeWindows struct {
	list    []writeWindow
	turn    int // the one that is used next
	used    int // how many are used in turn
	awaited int // the one that the processor waits for, none if it does not
}

// writeWindow is a buffer for one packet that the host writes.
type writeWindow struct {
	data []byte     // of the packet, without its header
	free units.Time // when it was last read out
}

// use lets so many windows be used in turn, all with 0.
func (w *writeWindows) use(n int) {
	w.turn, w.used = 0, n
	if n == 0 {
		w.used = len(w.list)
	}
}

// next returns the window that is used next.
func (w *writeWindows) next() int {
	window := w.turn
	w.turn = (window + 1) % w.used
	return window
}

func newCards(c *host.Env) *cards {
	s := sectionOf(c.Machine)
	w := &cards{Env: c, Section: s, clocks: newCardClocks(c.Machine, s)}
	shares := make([]int, len(c.Net.EndPoints))
	for _, home := range c.Hosts {
		shares[home]++
	}
	for rank, home := range c.Hosts {
		share := shares[home]
		u := cardUser{
			card: int32(home), share: share,
			windows:  writeWindows{list: make([]writeWindow, max(1, s.Card.WriteWindows/share)), awaited: none},
			prefetch: max(1, s.Card.PrefetchWindows/share),
			cache:    newCache(int(s.Processor.Cache), int(s.Processor.Line)),
			copies:   newCache(int(s.Processor.Cache)/s.Processor.Ways, int(s.Processor.Line)),
		}
		u.windows.use(0)
		if s.Match.Entries > 0 {
			u.matching = newMatching(&s.Match)
			u.prefetch -= u.matching.windows
		}
		w.setUp(&u, rank)
		w.users = append(w.users, u)
	}
	return w
}

// setUp is what the operating system does for a process at the start of a job.
func (w *cards) setUp(u *cardUser, rank int) {
	group, process := w.Group(rank), uint16(rank)
	err := errors.Join(
		u.regs.Write(register.Group, uint64(group), register.Privileged),
		u.regs.Write(register.Process, uint64(process), register.Privileged))
	if err != nil {
		panic(err) // it may write these
	}
	u.port = dimmnet.NewPort(group, process)
}

func (u *cardUser) isBusy(window int) bool {
	bits, _ := u.regs.Read(register.Busy, register.User)
	return bits>>window&1 != 0
}

// copied notes that the processor copies to a buffer, and reports whether that has to be brought
// into the cache. Data that is fetched ahead only once (PREFETCHNTA) fills one way of it.
func (u *cardUser) copied(into []byte) (missed bool) {
	u.cache.touch(into)
	return u.copies.touch(into)
}
