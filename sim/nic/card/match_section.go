package card

import (
	"fmt"

	"musubi/sim/machine"
	"musubi/units"
)

// Match describes matching on the card: a table of posted receives in memory of the controller,
// which is searched an entry after the other.
type Match struct {
	Entries int `param:"match.entries" zero:"the card does not match"` // posted receives of a process
	Windows int `param:"match.windows" zero:"none"`                    // Prefetch Windows of a process for messages of one packet

	Word   int `param:"match.word" zero:"takes no time"`   // clocks to take the word and the counters
	Entry  int `param:"match.entry" zero:"takes no time"`  // clocks for each entry that is compared
	Remove int `param:"match.remove" zero:"takes no time"` // clocks to read what an entry says and take it out
	Post   int `param:"match.post" zero:"takes no time"`   // clocks to test a post and write its entry

	PostCommand units.Time `param:"match.post_command" zero:"takes no time"` // the host posts a receive; for PC1600, see Scale
}

// maxEntries is more than a controller has memory for.
const maxEntries = 1 << 12

// checkMatch checks what matching needs of the rest.
func (s *Section) checkMatch(m *machine.Machine) error {
	own := s.Card.PrefetchWindows / s.Card.Processes
	switch c := &s.Match; {
	case c.Entries > maxEntries:
		return fmt.Errorf("match.entries is %d; expected at most %d", c.Entries, maxEntries)
	case c.Entries > 0 && m.Ring.EntryInPacket:
		return fmt.Errorf("match.entries of %d collides with ring.entry_in_packet: what is not matched goes to the ring of its sender", c.Entries)
	case c.Entries > 0 && c.Windows >= own:
		return fmt.Errorf("match.windows of %d collides with card.prefetch_windows of %d: a process has %d, and needs one to read", c.Windows, s.Card.PrefetchWindows, own)
	case c.Entries > 0 && m.Packet.Payload < matchWord:
		return fmt.Errorf("packet.payload of %v collides with match.entries: expected at least the %v that are compared", m.Packet.Payload, units.Bytes(matchWord))
	}
	return nil
}
