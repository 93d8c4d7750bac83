package main

import (
	"bytes"
	"context"
	"errors"
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
	root := rootCommand()
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
