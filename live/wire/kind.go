package wire

// Kind says what a part of a transfer is: a record, or a packet. Zero is none.
type Kind uint8

// Kinds, with what their bodies consist of.
const (
	Skip       Kind = 1 + iota // fills up the end of a ring
	Whole                      // a push in one part: WholeFields, data
	Push                       // the first part of a push: PushFields, layout, data
	More                       // further data of a push
	FarPush                    // a push whose data the target copies: FarFields; in shared memory only
	Message                    // a message
	Packet                     // a part of a message: PacketFields, data
	Pull                       // PullFields, layout
	FarPull                    // a pull whose data the owner copies to its place: FarFields; in shared memory only
	Answer                     // data that a pull or an accumulate has asked for: AnswerFields, data
	Modify                     // a change of a word: ModifyFields, the operation
	Result                     // what a word was before that: ResultFields
	Accumulate                 // the first part of a change of many words: AccumulateFields, operands
	Operands                   // further operands
	Ack                        // all packets before the one of its number are done; on connections only
	Nack                       // an operation has failed: NackFields; on connections only

	kinds
)

var kindNames = [kinds]string{
	"none", "skip", "push", "push", "push", "far push", "message", "message", "pull", "far pull", "answer",
	"modify", "result", "accumulate", "accumulate", "ack", "nack",
}

func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown"
}

// fieldBytes is the length of the fields of each kind.
var fieldBytes = [kinds]int{
	Whole: WholeBytes, Push: PushBytes, FarPush: FarBytes, Packet: PacketBytes, Pull: PullBytes, FarPull: FarBytes, Answer: AnswerBytes,
	Modify: ModifyBytes, Result: ResultBytes, Accumulate: AccumulateBytes, Nack: NackBytes,
}

// FieldBytes returns the length of the fields of a kind that there is.
func (k Kind) FieldBytes() int { return fieldBytes[k] }

// isPacket reports whether packets can be of a kind.
func (k Kind) isPacket() bool {
	return k > Skip && k < kinds && k != FarPush && k != FarPull
}
