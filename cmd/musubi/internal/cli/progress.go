package cli

import (
	"io"
	"os"
	"time"

	"musubi"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows on a terminal how far a command has come and how long it will
// take still.
type progress struct {
	bar   *progressbar.ProgressBar // nil: nothing is shown
	start time.Time
	shown time.Time
}

const (
	progressScale    = 1000
	progressDelay    = time.Second // shorter runs show nothing
	progressInterval = 200 * time.Millisecond
)

// StartProgress shows nothing unless standard error is a terminal.
func StartProgress(s Shared) *progress {
	p := &progress{start: time.Now()}
	if !s.Quiet && isTerminal(s.Stderr) {
		p.bar = progressbar.NewOptions(progressScale,
			progressbar.OptionSetWriter(s.Stderr),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionFullWidth(),
		)
	}
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (p *progress) Show(now musubi.Progress) {
	p.Draw("simulated "+now.Now.String(), now.Done)
}

// Draw shows what is under way, and the part of all work that is done.
func (p *progress) Draw(what string, done float64) {
	if p.bar == nil {
		return
	}
	t := time.Now()
	if t.Sub(p.start) < progressDelay || t.Sub(p.shown) < progressInterval {
		return
	}
	p.shown = t
	p.bar.Describe(what)
	// Failing to draw the bar is no reason to stop.
	_ = p.bar.Set(int(done * progressScale))
}

// Finish removes the bar.
func (p *progress) Finish() {
	if p.bar != nil && !p.shown.IsZero() {
		_ = p.bar.Clear()
	}
}
