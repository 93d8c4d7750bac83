package rma

import "errors"

// Errors of Commander. What is returned wraps them.
var (
	// ErrNoQueue: all command queues of the process are open. The program can share those that it
	// has, close one, or do without.
	ErrNoQueue = errors.New("no command queue is left")
	// ErrQueueFull: there is no room for the commands. The program can take completions until
	// there is room, or open a queue with more entries.
	ErrQueueFull = errors.New("command queue is full")
)

// Commander is a Process whose interface has command queues: lists of commands that the interface
// carries out by itself, in order, some of them only when other processes release them. So a
// program can prepare an exchange that its partners release and that runs while the processor
// computes. The model is Tofu2 (Ajima et al., Tofu Interconnect 2, 2014); libfabric and Portals
// call such commands triggered operations.
type Commander interface {
	Process

	// Engines returns how many engines the interface has. They work at the same time; each carries
	// out the commands of its queues one after the other.
	Engines() int
	// FreeQueues returns how many more queues this process can open.
	FreeQueues() int
	// OpenQueue opens a queue. It fails with ErrNoQueue if there is none left.
	OpenQueue(q QueueConfig) (Queue, error)
}

// QueueConfig describes a queue to be opened.
type QueueConfig struct {
	// Session puts the queue in session mode: a command waits until the scheduling pointer is
	// beyond it, and commands of other processes advance this pointer; see Command. In normal mode
	// a command waits only for the commands before it.
	Session bool
	// Lead is the number of entries by which the scheduling pointer starts ahead of the first
	// entry, in session mode.
	Lead int
	// Engine is the number of the engine that carries out the commands, counted from 0. Any: the
	// one with the fewest queues of this process.
	Engine int
	// Entries is the number of commands that the queue holds, from when they are posted until
	// their completion is taken; 0: as many as the machine has.
	Entries int
}

// Any is an engine that the machine chooses.
const Any = -1

// QueueAddress names a queue of any process. The numbers of a process's queues begin at 1; 0 is the
// interface itself, which receives puts without involving a queue.
type QueueAddress struct{ Rank, Queue int }

// Command is an entry of a queue. The zero value is a NOP, which the engine skips; it completes as
// other commands do.
type Command struct {
	// Put writes Data at To. If there is no data it only reaches the target queue, and To is
	// ignored.
	Put  bool
	To   Address
	Data []byte // may not be changed until the command is complete
	// TargetQueue is the queue of the target whose engine receives the put. Advance and Notice act
	// on this queue when all data is written. Puts of one queue with the same target queue are
	// written in order; others may overtake each other.
	TargetQueue QueueAddress
	// Advance is the number of entries by which the scheduling pointer of TargetQueue moves, if
	// that queue is in session mode (Tofu2: SPS, scheduling pointer step).
	Advance int
	// Notice tells the owner of TargetQueue that the put has been written, and hands it Word. No
	// notice is lost: if there is no room, the put waits until the owner has taken a notice, and
	// may block what arrives behind it. There is room for as many notices as TargetQueue has
	// entries.
	Notice bool
	Word   uint64
}

// Queue is a command queue. Its owner posts commands and takes completions of these commands, and
// notices of puts of others to this queue.
type Queue interface {
	// Number is the number by which other processes name the queue; see QueueAddress. Numbers of
	// closed queues are used again.
	Number() int
	// Engine is the number of the engine that carries out the commands.
	Engine() int
	// Entries is the number of commands that the queue has room for.
	Entries() int
	// Post appends commands, all or none, and returns when the processor is free again. It
	// fails with ErrQueueFull if there is no room.
	Post(commands ...Command) error
	// HasEvent reports whether there is a completion or a notice to take. It only reads memory, so
	// a condition of WaitUntil may call it.
	HasEvent() bool
	// Completion takes the oldest completion, if there is one. Commands complete in order; a put
	// completes when its data is written at the target. The error says why the data could not be
	// written; the commands behind it are carried out all the same.
	Completion() (done bool, err error)
	// Notice takes the oldest notice, if there is one.
	Notice() (n Notice, ok bool)
	// Close gives the queue back. It fails while commands are not complete, and then closes
	// nothing. Commands that only wait to be released are dropped instead.
	Close() error
}

// Notice reports a put that has been written.
type Notice struct {
	From int // rank that posted the command
	Word uint64
}
