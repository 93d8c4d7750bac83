package tune

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/report/files"
)

// rest returns the flags that measure what is left of a plan, from an operation of a number of ranks on.
func (p *plan) rest(ranks, operation int) []string {
	var left []string
	if operation > 0 {
		left = append(left, fmt.Sprintf("--ranks %d --operation %s", p.ranks[ranks], strings.Join(p.operations[operation:], ",")))
		ranks++
	}
	if ranks < len(p.ranks) {
		var numbers []string
		for _, n := range p.ranks[ranks:] {
			numbers = append(numbers, strconv.Itoa(n))
		}
		left = append(left, "--ranks "+strings.Join(numbers, ","))
	}
	return left
}

// keep prints and writes what was measured before an interrupt. The file has another name than --output says: there may be a
// whole table of that name, and nobody shall take this one for one.
func (f *flags) keep(shared cli.Shared, m *measurements, rest []string) error {
	r := m.judge(f.On)
	if len(r.Cases) == 0 {
		return nil
	}
	if err := f.report(shared, r); err != nil {
		return err
	}
	missing := "without " + strings.Join(rest, ", and ")
	if f.Output == "" {
		shared.Note("measured all %s", missing)
		return nil
	}
	partial := f.Output + ".partial"
	if err := files.Write(partial, func(w io.Writer) error { return m.all.Choices().Write(w, f.command(), "interrupted, "+missing) }); err != nil {
		return err
	}
	shared.Note("wrote %s, %s; measure that to another file, and append it", partial, missing)
	return nil
}
