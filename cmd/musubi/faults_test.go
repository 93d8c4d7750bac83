package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"musubi/cmd/musubi/internal/cli"
)

// interrupting is where a command writes until it has written a text, which interrupts it.
type interrupting struct {
	bytes.Buffer
	at        string
	interrupt func()
}

func (w *interrupting) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if strings.Contains(w.String(), w.at) {
		w.interrupt()
	}
	return n, err
}

// A survey of more failures than a minute is enough for says so when it begins. This one has a hundred thousand.
func TestLongSurveysAreAnnounced(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // of a survey without the note
	defer cancel()
	stderr := &interrupting{at: "s here, so ", interrupt: cancel}
	status := execute(ctx, strings.Fields("faults --topology torus:14x14 --routing lash --react routing --double"), &bytes.Buffer{}, stderr)
	if status != cli.StatusInterrupted || !strings.Contains(stderr.String(), "a routing takes ") {
		t.Errorf("ends with status %d, %q; expected a note, and the end by the interrupt at it", status, stderr.String())
	}
}
