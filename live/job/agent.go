package job

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"musubi/live/health"
	"net"
	"os"
	"runtime"
	"strings"
)

// Agent runs a group of ranks for a launcher on another host, which it talks to over in
// and out. It returns when all ranks have ended; they are made to when the launcher says
// so or is gone. It is for "musubi agent".
func Agent(ctx context.Context, in io.Reader, out io.Writer) error {
	if _, err := fmt.Fprintln(out, agentGreeting); err != nil {
		return err
	}
	from := gob.NewDecoder(in)
	var first toAgent
	if err := from.Decode(&first); err != nil {
		return fmt.Errorf("live: an agent is told of no job: %w; expected to be started by a launcher", err)
	}
	if first.Spec == nil {
		return nil // the launcher has thought better of it
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &agent{launcher: newTalker[fromAgent](out), input: make(chan []byte, 1)}
	if err := a.run(ctx, *first.Spec, func() { a.listen(from); cancel() }); err != nil {
		a.launcher.say(fromAgent{Problem: err.Error()})
	}
	return nil
}

// agent is the parent of a group for a launcher on another host.
type agent struct {
	launcher *talker[fromAgent]
	group    *group
	input    chan []byte // for rank 0
}

// run is the life of a group. Once it can be told of things, listen runs beside it. The
// ranks are killed when the thread ends that has started them.
func (a *agent) run(ctx context.Context, p groupSpec, listen func()) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p.Hub = reachable(p.Hub, os.Getenv("SSH_CONNECTION"))
	read, write := io.Pipe()
	defer read.Close()
	g, err := newGroup(p, a, read)
	if err != nil {
		return err
	}
	defer g.release()
	a.group = g
	killable, kill := context.WithCancel(ctx)
	defer kill()
	if err := g.start(killable); err != nil {
		kill()
		g.wait(killable, func(ending) {}, func(health.Failure) {})
		return err
	}
	a.launcher.say(fromAgent{Started: true})
	go a.feed(write)
	go listen()
	g.wait(killable, func(e ending) { a.launcher.say(fromAgent{Ending: &e}) }, func(f health.Failure) {
		a.launcher.say(fromAgent{Failed: f.Encode()})
	})
	a.launcher.say(fromAgent{Done: true, Standing: g.standing()})
	return nil
}

// listen does what the launcher says, until it is gone or has no more to say.
func (a *agent) listen(from *gob.Decoder) {
	for {
		var m toAgent
		if err := from.Decode(&m); err != nil {
			return
		}
		switch {
		case m.End:
			return
		case m.EndOfInput:
			close(a.input)
		case m.Input != nil:
			a.input <- m.Input // has room: the one before is taken
		case m.Failed != 0:
			a.group.fail(health.DecodeFailure(m.Failed))
		case m.Ask:
			go func() { a.launcher.say(fromAgent{Answer: true, Processes: a.group.describe()}) }()
		}
	}
}

// feed gives rank 0 its input.
func (a *agent) feed(to *io.PipeWriter) {
	defer to.Close()
	for data := range a.input {
		if _, err := to.Write(data); err != nil {
			return // it has ended
		}
		a.launcher.say(fromAgent{Taken: true})
	}
}

// of returns the writers of a rank: what ranks write goes to the launcher.
func (a *agent) of(rank int) (stdout, stderr io.Writer) {
	return &forwarded{a.launcher, rank, false}, &forwarded{a.launcher, rank, true}
}

// forwarded is an output of a rank.
type forwarded struct {
	launcher *talker[fromAgent]
	rank     int
	errors   bool
}

func (f *forwarded) Write(p []byte) (int, error) {
	f.launcher.say(fromAgent{Output: p, Rank: f.rank, Errors: f.errors})
	return len(p), nil
}

// reachable returns the address of a hub as it is seen from this host. A hub that listens
// on all addresses of its host is where the connection of ssh has come from.
func reachable(hub, connection string) string {
	host, port, err := net.SplitHostPort(hub)
	if err != nil || host != "" && !net.ParseIP(host).IsUnspecified() {
		return hub
	}
	client, _, found := strings.Cut(connection, " ")
	if !found {
		return hub
	}
	return net.JoinHostPort(client, port)
}
