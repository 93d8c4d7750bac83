package process

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"musubi/rma"
)

// Program is a program that each rank of a simulated job runs.
type Program struct {
	Command []string
	Compute Compute
	Output  io.Writer // gets what the ranks have written, in the order of the ranks; nil: nobody
	Errors  io.Writer
	Label   bool            // the rank comes before each line of Output
	Stop    <-chan struct{} // ends all ranks when it is closed; nil: nothing does

	mutex  sync.Mutex
	texts  map[int]io.ReadCloser // standard output of each rank
	failed map[int]error         // ranks that have failed behind MPI_Finalize
	called bool                  // a rank has called MPI
}

// Run runs the program as the rank of a process, until it ends. It fails if the program ends with
// another status than 0, by a signal, or between MPI_Init and MPI_Finalize. Behind MPI_Finalize the other
// ranks need nothing of this one, and go on to their ends; Finish fails then.
func (g *Program) Run(p rma.Process) error {
	r, err := g.start(p)
	if err != nil {
		return err
	}
	defer r.kill()
	return r.serve()
}

// keep keeps what a rank has written until all have ended.
func (g *Program) keep(rank int, text io.ReadCloser) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.texts == nil {
		g.texts = map[int]io.ReadCloser{}
	}
	g.texts[rank] = text
}

// Called reports whether a rank has called MPI. Where none has, nothing was simulated: the program may be one for another library.
func (g *Program) Called() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.called
}

func (g *Program) noteCall() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.called = true
}

// fail notes that a rank has failed behind MPI_Finalize.
func (g *Program) fail(rank int, err error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.failed == nil {
		g.failed = map[int]error{}
	}
	g.failed[rank] = err
}

// Finish writes what the ranks have written, in their order. It fails if one has failed behind MPI_Finalize.
func (g *Program) Finish() error {
	var all []error
	ranks := make([]int, 0, len(g.texts))
	for rank := range g.texts {
		ranks = append(ranks, rank)
	}
	slices.Sort(ranks)
	for _, rank := range ranks {
		all = append(all, g.write(rank, g.texts[rank]), g.texts[rank].Close())
	}
	g.texts = nil
	return errors.Join(append(all, g.failure())...)
}

// failure tells of the ranks that have failed behind MPI_Finalize.
func (g *Program) failure() error {
	if len(g.failed) == 0 {
		return nil
	}
	first := slices.Min(slices.Collect(maps.Keys(g.failed)))
	if others := len(g.failed) - 1; others > 0 {
		return fmt.Errorf("rank %d, and %d more: %w", first, others, g.failed[first])
	}
	return fmt.Errorf("rank %d: %w", first, g.failed[first])
}

func (g *Program) write(rank int, text io.Reader) error {
	if g.Output == nil {
		return nil
	}
	if !g.Label {
		_, err := io.Copy(g.Output, text)
		return err
	}
	data, err := io.ReadAll(text)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		if _, err := fmt.Fprintf(g.Output, "rank %d: %s", rank, line); err != nil {
			return err
		}
	}
	return nil
}

// environment returns that of a rank.
func environment(p rma.Process) []string {
	var all []string
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "MUSUBI_LIVE_RANK=") {
			all = append(all, setting)
		}
	}
	return append(all, slotVariable+"=3", "MUSUBI_RANK="+strconv.Itoa(p.Rank()), "MUSUBI_SIZE="+strconv.Itoa(p.Size()))
}

// slotVariable tells a program the file descriptor of its slot.
const slotVariable = "MUSUBI_CALL_SLOT"
