package job

import (
	"encoding/gob"
	"fmt"
	"io"
	"sync"
)

// A launcher and its agent on another host talk over the standard input and output of the
// agent: first the agent says what it is in a line of text, then both send messages, each
// of which says one thing.

// agentProtocol is the version of this conversation.
const agentProtocol = 2

// agentGreeting is the first line of an agent. What comes before it is of the shell.
var agentGreeting = fmt.Sprintf("%s%d", greetingBegins, agentProtocol)

const greetingBegins = "musubi-agent "

// toAgent is what a launcher says.
type toAgent struct {
	Spec       *groupSpec // comes first: start this
	Input      []byte     // for rank 0; the next comes when it is taken
	EndOfInput bool
	Failed     uint64 // the job has failed so
	Ask        bool   // what do the ranks do?
	End        bool   // end them
}

// fromAgent is what an agent says.
type fromAgent struct {
	Started   bool   // comes first: the ranks run
	Problem   string // or they could not be started
	Output    []byte // of a rank
	Errors    bool   // Output is from its standard error
	Rank      int
	Taken     bool // rank 0 has the input
	Ending    *ending
	Failed    uint64 // the agent has found out that the job has failed so
	Answer    bool   // to Ask: Processes
	Processes []Process
	Done      bool // comes last: all have ended
	Standing  string
}

// talker sends messages from several goroutines.
type talker[M any] struct {
	mu sync.Mutex
	to *gob.Encoder
}

func newTalker[M any](to io.Writer) *talker[M] { return &talker[M]{to: gob.NewEncoder(to)} }

// say sends a message. That the other end is gone is noticed by who listens to it.
func (t *talker[M]) say(m M) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = t.to.Encode(m)
}
