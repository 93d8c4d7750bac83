package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// interruptedLater is a context that is cancelled after it has been asked a number of times.
type interruptedLater struct {
	context.Context
	left int
}

func (c *interruptedLater) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptedComparisonPrintsWhatIsDone interrupts between the second and the third routing.
func TestInterruptedComparisonPrintsWhatIsDone(t *testing.T) {
	var out, errs bytes.Buffer
	root := rootCommand(nil)
	root.SetOut(&out)
	root.SetErr(&errs)
	root.SetArgs([]string{"route", "--topology", "mesh:3x3"})
	err := root.ExecuteContext(&interruptedLater{context.Background(), 2})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want that it was interrupted", err)
	}
	for text, want := range map[string]bool{"\nupdown ": true, "\nprefix ": true, "\nprefix-shortcut ": false} {
		if strings.Contains(out.String(), text) != want {
			t.Errorf("%q in the table: %v; want %v\n%s", text, !want, want, out.String())
		}
	}
	if !strings.Contains(errs.String(), "interrupted after 2 of 14 routings") {
		t.Errorf("standard error is %q", errs.String())
	}
}

// The root that is named is that of the routing, and its costs are those in the table, whatever paths are asked for.
func TestTheRootThatIsNamedIsUsed(t *testing.T) {
	for _, more := range []string{"", "--destination-only", "--selection spread"} {
		var out, errs bytes.Buffer
		command := "route --topology torus:4x4 --hosts 2 --routing updown --root auto --json " + more
		if status := execute(context.Background(), strings.Fields(command), &out, &errs); status != 0 {
			t.Fatalf("%s: exit status %d: %s", command, status, errs.String())
		}
		var found []struct {
			ChannelLoad struct{ Max int } `json:"channel_load"`
		}
		if err := json.Unmarshal(out.Bytes(), &found); err != nil {
			t.Fatal(err)
		}
		first := strings.Split(errs.String(), "\n")[1]
		if want := fmt.Sprintf("up to %d pairs on a link", found[0].ChannelLoad.Max); !strings.HasSuffix(first, want) {
			t.Errorf("%s says %q; the routing has %s", command, first, want)
		}
	}
}
