package programs

import (
	"testing"

	"musubi/workload"
)

// A parameter that takes a list is said to: no other accepts its default twice, with a comma.
func TestListsAreDeclared(t *testing.T) {
	for _, w := range All() {
		for _, name := range w.ListParams {
			if !w.Has(name) {
				t.Errorf("%s: %q is said to take a list; there is no such parameter", w.Name, name)
			}
		}
		for _, p := range w.Params {
			if p.Default == "" {
				continue
			}
			accepts := func(text string) bool {
				_, err := w.Prepare(map[string]string{p.Name: text}, workload.Env{Ranks: 2, Payload: 1024})
				return err == nil
			}
			if accepts(p.Default+","+p.Default) && !accepts("?,?") && !w.TakesList(p.Name) { // it is read, as a list
				t.Errorf("%s: %s accepts a list; expected it among those that do", w.Name, p.Name)
			}
		}
	}
}
