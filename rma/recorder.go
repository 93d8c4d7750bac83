package rma

// Recorded is a Process whose user may want to know which messages a library above this contract passes.
type Recorded interface {
	// Record sets what Recorder returns. Whoever starts the program calls it, before that begins.
	Record(to Recorder)
	// Recorder returns whom to tell, nil if nobody asks.
	Recorder() Recorder
}

// Recorder is told what a library of messages does for one process: which messages it passes, and what
// waits for what. What happens one after the other is a Strand; the program itself is strand 0, and
// operations that go on beside it, such as collective ones, have their own.
type Recorder interface {
	Tracer
	// Send tells that a message begins, and Receive that a receive does. Both return a number by which
	// Match and Await know it.
	Send(s Strand, to int, context uint32, tag int32, bytes int) Recording
	Receive(s Strand) Recording
	// Match tells which message a receive gets.
	Match(receive Recording, from int, context uint32, tag int32, bytes int)
	// Await tells that a strand goes on when a message has ended.
	Await(s Strand, ended Recording)
	// Fork returns a strand that begins where the program is, and Join lets the program go on when a
	// strand has ended.
	Fork() Strand
	Join(ended Strand)
	// Beside tells that the program communicates in a way that is not told, and names it.
	Beside(what string)
	// Close tells that the program has ended its use of the library. What follows is not told.
	Close()
}

// Strand is a number of a sequence of messages.
type Strand int32

// Recording is a number of a message of a recorder, from 1 on.
type Recording int32

// Recordable implements Recorded.
type Recordable struct{ recorder Recorder }

// Record implements Recorded.
func (r *Recordable) Record(to Recorder) { r.recorder = to }

// Recorder implements Recorded.
func (r *Recordable) Recorder() Recorder { return r.recorder }
