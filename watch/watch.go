// Package watch verifies again whenever dumps of a fabric change, and tells monitoring what came out.
package watch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Verdict is what a verification finds out.
type Verdict struct {
	OK          bool
	Pairs, Lost int64 // ordered pairs, and those not sure to be connected
	Cycle       int   // channels of a cycle of dependencies; 0 if there is none
	Load        int64 // pairs on the most used link in one direction; 0 if it is not known
}

func (v Verdict) String() string {
	answer, cycle := "yes", "no cycle"
	if !v.OK {
		answer = "no"
	}
	if v.Cycle > 0 {
		cycle = fmt.Sprintf("a cycle of %d channels", v.Cycle)
	}
	text := fmt.Sprintf("%s: %d pairs, %d lost, %s", answer, v.Pairs, v.Lost, cycle)
	if v.Load > 0 {
		text += fmt.Sprintf(", worst load %d", v.Load)
	}
	return text
}

// Event is a line of the log: dumps have changed, or could not be read.
type Event struct {
	Time    time.Time
	Verdict Verdict
	Err     error
}

// Watcher looks after dumps. Its methods may be called from several goroutines.
type Watcher struct {
	Files   func() []string         // dumps that there are
	Command []string                // writes them anew before each look, if not empty
	Verify  func() (Verdict, error) // reads and proves them
	Tell    func(Event)             // is called after each change

	state
}

// state is what a Watcher has found so far.
type state struct {
	mutex    sync.Mutex
	last     Event     // the last event
	verdict  Verdict   // the last one
	at       time.Time // when it was found; zero if never
	changed  time.Time // when the newest of the dumps that it is about was written
	verified string    // their signature
	seen     string    // signature at the last look
	checks   int64     // verifications
	failures int64     // looks that failed
}

// Look verifies the dumps once, whether or not they have changed, and returns what came out.
func (w *Watcher) Look(ctx context.Context) Event {
	signature, changed, err := w.collect(ctx)
	if err != nil {
		return w.fail(err)
	}
	return w.verify(signature, changed)
}

// Run looks at once and then again and again, and verifies what has changed, until ctx is done. Without a
// Command, which is done with its files when it ends, dumps that have changed must stay as they
// are from one look to the next: they may have been written in part only.
func (w *Watcher) Run(ctx context.Context, interval time.Duration) {
	w.Look(ctx)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			w.again(ctx)
		}
	}
}

// again looks for changes, and verifies if there are some.
func (w *Watcher) again(ctx context.Context) {
	signature, changed, err := w.collect(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		w.mutex.Lock()
		w.verified = "" // what comes back is looked at again
		w.mutex.Unlock()
		w.fail(err)
		return
	}
	w.mutex.Lock()
	settled := signature == w.seen || len(w.Command) > 0
	w.seen = signature
	same := signature == w.verified
	w.mutex.Unlock()
	if settled && !same {
		w.verify(signature, changed)
	}
}

// collect runs the command and returns a text that changes with the dumps.
func (w *Watcher) collect(ctx context.Context) (signature string, changed time.Time, err error) {
	if len(w.Command) > 0 {
		cmd := exec.CommandContext(ctx, w.Command[0], w.Command[1:]...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", changed, fmt.Errorf("%s: %w%s", w.Command[0], err, lastLine(out))
		}
	}
	var b strings.Builder
	for _, file := range w.Files() {
		info, err := os.Stat(file)
		if err != nil {
			return "", changed, err
		}
		fmt.Fprintln(&b, file, info.Size(), info.ModTime().UnixNano())
		if info.ModTime().After(changed) {
			changed = info.ModTime()
		}
	}
	return b.String(), changed, nil
}

// lastLine is what a command said at last.
func lastLine(out []byte) string {
	text := strings.TrimSpace(string(out))
	if text == "" {
		return ""
	}
	return ": " + text[strings.LastIndexByte(text, '\n')+1:]
}

// verify proves the dumps and tells of it.
func (w *Watcher) verify(signature string, changed time.Time) Event {
	v, err := w.Verify()
	if err != nil {
		w.mutex.Lock()
		w.verified = signature // it would fail again
		w.mutex.Unlock()
		return w.fail(err)
	}
	w.mutex.Lock()
	e := Event{Time: time.Now(), Verdict: v}
	w.last, w.verdict, w.at, w.changed = e, v, e.Time, changed
	w.verified, w.seen = signature, signature
	w.checks++
	w.mutex.Unlock()
	w.Tell(e)
	return e
}

// fail tells of an error, once.
func (w *Watcher) fail(err error) Event {
	w.mutex.Lock()
	e := Event{Time: time.Now(), Err: err}
	again := w.last.Err != nil && w.last.Err.Error() == err.Error()
	w.last = e
	w.failures++
	w.mutex.Unlock()
	if !again {
		w.Tell(e)
	}
	return e
}
