package rma

import "errors"

// Errors of Commander. What is returned wraps them.
var (
	// ErrNoQueue: all command queues of the process are open. The way out is to share
	// those that it has, to close one, or to do without.
	ErrNoQueue = errors.New("no command queue is left")
	// ErrQueueFull: there is no room for the commands. The way out is to take
	// completions until there is, or to open a queue with more entries.
	ErrQueueFull = errors.New("command queue is full")
)

// Commander is a Process whose interface has command queues: lists of commands that it
// carries out by itself, in order, some of them only when others tell it to. So an
// exchange can be prepared, released by its partners, and done while the processor
// computes. The queues are those of Tofu2 (Ajima et al., Tofu Interconnect 2, 2014);
// elsewhere such things are called triggered operations.
type Commander interface {
	Process

	// Engines returns how many engines of the interface work at the same time. Each
	// carries out the commands of its queues one after the other.
	Engines() int
	// FreeQueues returns how many more queues this process can open.
	FreeQueues() int
	// OpenQueue opens a queue. It fails with ErrNoQueue if there is none left.
	OpenQueue(q QueueConfig) (Queue, error)
}

// QueueConfig says what queue is wanted.
type QueueConfig struct {
	// Session puts the queue in session mode: a command waits until the scheduling
	// pointer is beyond it, which commands of others advance; see Command. In normal mode a
	// command waits only for those before it.
	Session bool
	// Lead is how many entries the scheduling pointer starts ahead of the first one, in
	// session mode.
	Lead int
	// Engine carries the commands out; it is counted from 0. Any: the one with the
	// fewest queues of this process.
	Engine int
	// Entries is how many commands the queue holds, from when they are posted until their
	// completion is taken; 0: as many as the machine has.
	Entries int
}

// Any is an engine that the machine chooses.
const Any = -1

// QueueAddress names a queue as other processes do. The numbers of a process' queues begin
// at 1; 0 is the interface itself, which takes puts without touching any queue.
type QueueAddress struct{ Rank, Queue int }

// Command is an entry of a queue. The zero value does nothing but be stepped over (NOP); it
// completes as others do.
type Command struct {
	// Put writes Data at To, or only goes there if there is no data; then To does not count.
	Put  bool
	To   Address
	Data []byte // may not be changed until the command is complete
	// TargetQueue is the queue of the target whose engine takes the put. That is also where the
	// rest happens when all data is written. Puts of one queue with the same taker are
	// written in order; others may overtake each other.
	TargetQueue QueueAddress
	// Advance moves the scheduling pointer of TargetQueue, if that is in session mode (SPS,
	// scheduling pointer step).
	Advance int
	// Notice tells the owner of TargetQueue that the put is there; it finds Word with that. None
	// gets lost: where there is no room, the put waits until the owner has taken one, and
	// may hold back what comes behind it. There is room for as many as the queue of TargetQueue
	// has entries.
	Notice bool
	Word   uint64
}

// Queue is a command queue. Its owner posts commands and takes what the interface tells
// about them, and about puts of others that this queue took.
type Queue interface {
	// Number is what others name the queue by; see QueueAddress. Numbers of closed queues
	// are used again.
	Number() int
	// Engine is the one that carries the commands out.
	Engine() int
	// Entries is how many commands there is room for.
	Entries() int
	// Post appends commands, all or none, and returns when the processor is free again. It
	// fails with ErrQueueFull if there is no room.
	Post(commands ...Command) error
	// HasEvent reports whether there is a completion or a notice to be taken. It only reads
	// memory, and so may be part of a condition of WaitUntil.
	HasEvent() bool
	// Completion takes the oldest completion, if there is one. Commands complete in order:
	// a put when its data is written at the target, which also ends its turn. Its error
	// says why it has not been; the commands behind it are carried out all the same.
	Completion() (done bool, err error)
	// Notice takes the oldest notice, if there is one.
	Notice() (n Notice, ok bool)
	// Close gives the queue back. It fails while commands are not complete, and then closes
	// nothing, unless they only wait to be released: those are dropped.
	Close() error
}

// Notice tells of a put that has been written.
type Notice struct {
	From int // rank whose command it was
	Word uint64
}
