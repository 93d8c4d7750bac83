package rma

// Wildcards of posted receives.
const (
	AnySource = -1
	AnyTag    = -1
)

// PostedReceive is a receive that an interface is to match with messages.
type PostedReceive struct {
	From    int   // rank, or AnySource
	Tag     int32 // or AnyTag
	Context uint32
	Into    []byte // for the data of the message; what is more is cut off
}

// MatchWord is the first 8 bytes of a message that interfaces match, little-endian: from the lowest
// bit on, 8 bits that are not compared, 24 of context and 32 of tag.
type MatchWord uint64

// Context returns what is compared with the context of a receive.
func (w MatchWord) Context() uint32 { return uint32(w) >> 8 }

// Tag returns what is compared with the tag of a receive.
func (w MatchWord) Tag() int32 { return int32(w >> 32) }

// MatchedBy is what an interface does with a message that it has matched.
type MatchedBy uint8

const (
	// ToRing: the message goes to the ring; only its receive is known.
	ToRing MatchedBy = iota
	// Straight: what is behind the word goes to the buffer of the receive.
	Straight
	// Offered: the message goes to the ring, and the interface pulls the data that it offers to the
	// buffer of the receive.
	Offered
)

// Matching is how a message is to be matched.
type Matching struct {
	By             MatchedBy
	Segment, Bytes int // of this process, from the beginning of the segment: the data that is offered
}

// Match is what an interface has done with a message.
type Match struct {
	Compared bool   // it was sent by IPushMatch
	Receive  uint32 // number of the receive that it has matched; 0: none, so the program matches it
	// Refused are receives that the interface did not take, as the message was there first. The
	// program keeps them from now on. Those posted first come first.
	Refused []uint32
	Word    MatchWord // of a message that went straight to its receive
	Bytes   int       // behind the word, of such a message, also those that were cut off
	Pull    Op        // of the data that the message offers; 0 if there is none to pull
}

// Matcher is a Process whose interface matches messages with posted receives as MPI does, by
// source, tag and context, when they arrive. It is optional. What the interface does not match goes
// to the receive rings, and the program matches it there. So that both give what MPI's rules give,
// the program keeps to these:
//
//   - A receive is posted to the interface only while the program keeps none in the same context
//     that was posted before.
//   - The program matches each message that Match says is not matched when it takes it, before it
//     posts another receive: first Refused go to the receives that it keeps, before all others of
//     their contexts, then the message goes to the first of these that takes it.
//   - All messages of a context are sent by IPushMatch.
type Matcher interface {
	Process

	// PostReceive posts a receive, and returns its number, which is not 0. It reports false, and
	// has done nothing, if the table of the interface may be full. The memory belongs to the
	// interface until the receive is refused, withdrawn or matched.
	PostReceive(r PostedReceive) (number uint32, posted bool)
	// WithdrawReceive takes a receive back. It reports false if it has been matched; an arrival
	// will tell, or has told, with what.
	WithdrawReceive(number uint32) bool
	// IPushMatch is IPush of a message that begins with a MatchWord.
	IPushMatch(to int, message []byte, m Matching, by Mechanism) (Op, error)
	// MatchOf returns what has become of the message that an arrival completes, after Next has
	// returned the arrival and before Take. An arrival of a message that went straight to its
	// receive has no bytes; Take is what then makes its data readable.
	MatchOf(a Arrival) Match
}
