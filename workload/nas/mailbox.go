package nas

import (
	"encoding/binary"
	"slices"
)

// slots is how many messages of one sender a mailbox holds.
const slots = 4

// trailer is how many bytes end each message in a mailbox: its length and its number, both
// big-endian. So the last byte to arrive is the lowest of the number, and differs from that of the
// message that had the place before.
const trailer = 8

// wordBytes is the size of a word in a mailbox.
const wordBytes = 8

// mailbox describes the memory of a process that others write messages to. For each sender it has
// slots for eager messages and requests, and a place for the data of one long message. For each
// receiver it has two words, which count what that receiver has freed and asked for. Everything
// ends where its place ends, so that receivers find the trailer whatever the length.
type mailbox struct {
	senders, receivers []int // of the messages of this process, in ascending order
	slot, long         int   // bytes of a slot and of the place of a long message
}

// newMailbox lays out the memory of the process whose scripts these are. Messages of up to eager
// bytes are eager.
func newMailbox(scripts []Script, eager int) mailbox {
	m := mailbox{senders: Senders(scripts), receivers: partners(scripts, sendAction), slot: trailer}
	for a := range actions(scripts) {
		if a.kind != receiveAction {
			continue
		}
		if a.bytes <= eager {
			m.slot = max(m.slot, wholeWords(a.bytes)+trailer)
		} else {
			m.long = max(m.long, wholeWords(a.bytes)+trailer)
		}
	}
	return m
}

func wholeWords(bytes int) int { return (bytes + wordBytes - 1) &^ (wordBytes - 1) }

// bytes returns the size of the memory.
func (m *mailbox) bytes() int { return m.word(len(m.receivers), 0) }

// slotEnd returns the end of the slot for message number from a sender.
func (m *mailbox) slotEnd(sender int, number uint32) int {
	return sender*m.perSender() + (int(number%slots)+1)*m.slot
}

// longEnd returns the end of the place for a long message from a sender.
func (m *mailbox) longEnd(sender int) int { return (sender + 1) * m.perSender() }

func (m *mailbox) perSender() int { return slots*m.slot + m.long }

// Words that a receiver writes.
const (
	freedWord = iota // messages that it has taken out of slots
	askedWord        // long messages that it has asked for
	words
)

// word returns the offset of a word that a receiver writes.
func (m *mailbox) word(receiver, which int) int {
	return len(m.senders)*m.perSender() + (receiver*words+which)*wordBytes
}

// indexOf returns the position of a rank in an ascending list that has it.
func indexOf(ranks []int, rank int) int {
	i, _ := slices.BinarySearch(ranks, rank)
	return i
}

// isRequest marks the length of a message whose data waits to be asked for.
const isRequest = 1 << 31

// appendTrailer appends the end of a message. Length may have isRequest.
func appendTrailer(data []byte, length, number uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(data, length), number)
}

// readTrailer returns what appendTrailer has appended at the end of a place.
func readTrailer(memory []byte, end int) (length, number uint32) {
	return binary.BigEndian.Uint32(memory[end-trailer:]), binary.BigEndian.Uint32(memory[end-trailer/2:])
}

// isThere reports whether message number has arrived at the end of a place. Numbers count from 1,
// and fresh memory is 0.
func isThere(memory []byte, end int, number uint32) bool { return memory[end-1] == byte(number) }
