package core

import (
	"slices"
	"testing"

	"musubi/rma"
)

// suggesting is a process of three whose machine suggests limits.
type suggesting struct {
	rma.Process
	to []int
}

func (s suggesting) Size() int { return len(s.to) }

func (s suggesting) EagerBytes(other int) int { return s.to[other] }

func TestWhatIsSentEagerly(t *testing.T) {
	world := suggesting{to: []int{0, 50_000, 100}}
	for _, c := range []struct {
		name    string
		options Options
		p       rma.Process
		want    []int // for each process
		longest int
	}{
		{"what the machine suggests, or else what is usual", Options{}, world, []int{defaultEager, 50_000, 100}, 50_000},
		{"what the user says", Options{Eager: 600}, world, []int{600, 600, 600}, 600},
		{"nothing, if the user says that", Options{Eager: -1}, world, []int{0, 0, 0}, 0},
		{"what is usual", Options{}, struct{ rma.Process }{}, []int{defaultEager, defaultEager, defaultEager}, defaultEager},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := c.options.limits(c.p)
			got := []int{l.of(0), l.of(1), l.of(2)}
			if !slices.Equal(got, c.want) || l.longest() != c.longest {
				t.Errorf("limits are %v, the longest %d; want %v, %d", got, l.longest(), c.want, c.longest)
			}
		})
	}
}
