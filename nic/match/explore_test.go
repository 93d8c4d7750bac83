package match

import (
	"flag"
	"fmt"
	"testing"

	"musubi/internal/explore"
)

var (
	long    = flag.Bool("long", false, "run the long tests")
	nightly = flag.Bool("nightly", false, "run the tests that are too long for each change")
)

// TestExploreSmallCases lets all that can happen happen in every order: a process posts receives,
// with and without wildcards, two sources send messages, posts and packets come when they like. In no
// order may a message go to a receive that MPI does not give it to, or be lost; from each state all
// can come to an end. Nightly tests go up to four receives and four messages.
func TestExploreSmallCases(t *testing.T) {
	cases := []*scenario{
		scenario{receives: 3, messages: 2, entries: 1, split: true}.of(tags),
		scenario{receives: 3, messages: 2, entries: 2, split: true}.of(tags),
		scenario{receives: 2, messages: 3, entries: 2, split: true}.of(tags),
		scenario{receives: 2, messages: 2, entries: 2, split: true, cancels: 2}.of(tags),
		scenario{receives: 3, messages: 2, entries: 1, beyond: 2}.of(tags),
		scenario{receives: 2, messages: 2, entries: 2, cancels: 1}.of(contexts),
	}
	if *long {
		cases = []*scenario{
			scenario{receives: 4, messages: 3, entries: 1}.of(tags),
			scenario{receives: 3, messages: 4, entries: 4}.of(tags),
			scenario{receives: 3, messages: 3, entries: 2, split: true}.of(tags),
			scenario{receives: 3, messages: 3, entries: 2, cancels: 1}.of(tags),
		}
	}
	if *nightly {
		cases = append(cases,
			scenario{receives: 4, messages: 3, entries: 2, beyond: 2}.of(tags),
			scenario{receives: 3, messages: 3, entries: 2, split: true}.of(contexts),
		)
		for _, entries := range []int{1, 2, 4} {
			cases = append(cases, scenario{receives: 4, messages: 4, entries: entries}.of(tags))
		}
	}
	for _, s := range cases {
		n, err := explore.From(newWorld(s))
		if err != nil {
			t.Errorf("%v: %v", s, err)
		}
		t.Logf("%v: %d states", s, n)
	}
}

// alphabet is what receives and messages differ in.
type alphabet struct {
	tags     []int32
	contexts []uint32
}

var (
	tags     = alphabet{[]int32{0, 1}, []uint32{0}}
	contexts = alphabet{[]int32{0}, []uint32{0, 1}}
)

func (s *scenario) String() string {
	return fmt.Sprintf("up to %d of %d receives, %d of %d messages, %d cancelled, %d entries and %d less than known, split %v",
		s.receives, len(s.asks), s.messages, len(s.sends), s.cancels, s.entries, s.beyond, s.split)
}

// of lets a scenario choose from all receives that name a source or any, and a tag or any, and
// from all messages.
func (s scenario) of(a alphabet) *scenario {
	for _, context := range a.contexts {
		for _, source := range []int32{0, 1, Any} {
			for _, tag := range append(a.tags[:len(a.tags):len(a.tags)], Any) {
				s.asks = append(s.asks, Receive{Source: source, Tag: tag, Context: context})
				if source != Any && tag != Any {
					s.sends = append(s.sends, Header{Source: source, Tag: tag, Context: context})
				}
			}
		}
	}
	return &s
}

func ExampleUnit() {
	unit, _ := NewUnit(4)
	host := NewHost(4)
	first := host.Post(Receive{Source: 3, Tag: Any})
	fmt.Println("accepted:", unit.Post(first))
	late := host.Post(Receive{Source: Any, Tag: 7})            // on its way, when
	passed := unit.Arrive(&Header{Source: 5, Tag: 7})          // its message comes
	fmt.Println("accepted:", unit.Post(late))                  // so it is refused
	fmt.Println("refused:", host.Passed(passed.Accepted, nil)) // and the process learns that from the message
	fmt.Println("matched:", unit.Arrive(&Header{Source: 3, Tag: 9}).Number)
	// Output:
	// accepted: true
	// accepted: false
	// refused: [2]
	// matched: 1
}
