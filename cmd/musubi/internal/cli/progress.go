package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"musubi"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a command has come and how long it will take still: a bar on a terminal, and
// elsewhere, such as in the log of a job, a line now and then.
type progress struct {
	mutex sync.Mutex
	what  string  // is under way
	done  float64 // part of all work
	ended chan struct{}
	shown sync.WaitGroup
}

const (
	progressScale    = 1000
	progressDelay    = time.Second // shorter runs show nothing
	progressInterval = 200 * time.Millisecond
	firstLine        = 10 * time.Second // the next lines come after twice, four times as long
)

// StartProgress shows how far a command has come until Finish, also if Draw is seldom called, unless the command is to be quiet. Before
// that it says what is ahead; "": nothing is known of that.
func StartProgress(s Shared, ahead string) *progress {
	p := &progress{ended: make(chan struct{})}
	if !s.Quiet {
		p.shown.Go(func() { p.show(s, ahead) })
	}
	return p
}

func (p *progress) show(s Shared, ahead string) {
	if !p.waits(progressDelay) {
		return
	}
	if ahead != "" {
		s.Note("%s", ahead)
	}
	if isTerminal(s.Stderr) {
		p.showBar(s.Stderr)
	} else {
		p.showLines(s, progressDelay, firstLine)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Show shows how far a simulation has come.
func (p *progress) Show(now musubi.Progress) {
	p.Draw("simulated "+now.Now.String(), now.Done)
}

// Draw shows what is under way, and the part of all work that is done.
func (p *progress) Draw(what string, done float64) {
	p.mutex.Lock()
	p.what, p.done = what, done
	p.mutex.Unlock()
}

func (p *progress) now() (what string, done float64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.what, p.done
}

// Finish ends that, and removes the bar.
func (p *progress) Finish() {
	close(p.ended)
	p.shown.Wait()
}

// waits waits for some time. It reports false if the work has ended.
func (p *progress) waits(d time.Duration) bool {
	select {
	case <-p.ended:
		return false
	case <-time.After(d):
		return true
	}
}

func (p *progress) showBar(w io.Writer) {
	bar := progressbar.NewOptions(progressScale,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionFullWidth(),
	)
	for going := true; going; going = p.waits(progressInterval) {
		what, done := p.now()
		bar.Describe(what)
		// Failing to draw the bar is no reason to stop.
		_ = bar.Set(int(done * progressScale))
	}
	_ = bar.Clear()
}

func (p *progress) showLines(s Shared, elapsed, next time.Duration) {
	for ; p.waits(next - elapsed); next *= 2 {
		elapsed = next
		what, done := p.now()
		s.Note("%s", progressLine(what, done, elapsed))
	}
}

// progressLine says how far a command has come after some time. The time that is left is that of work which takes the same all along.
func progressLine(what string, done float64, elapsed time.Duration) string {
	line := elapsed.String()
	if what != "" {
		line += ", " + what
	}
	if done <= 0 || done >= 1 {
		return line
	}
	left := time.Duration(float64(elapsed) * (1 - done) / done)
	return line + fmt.Sprintf(": %.0f %%, about %s left", 100*done, left.Round(time.Second))
}
