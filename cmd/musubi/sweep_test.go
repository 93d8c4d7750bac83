package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"musubi/cmd/musubi/internal/cli"
	"musubi/internal/check"
)

// A sweep with a server of its own and a worker prints what a sweep of one process prints.
func TestSweepByWorkers(t *testing.T) {
	dir := check.ServerDir(t)
	address := check.FreeAddress()
	line := func(store string, more ...string) []string {
		return append(strings.Fields("sweep barrier --on rhinet2 -n 4 --routing updown,dl --seeds 1..3 --set orders=2 --json --quiet --store "+filepath.Join(dir, store)), more...)
	}
	var here, there, stderr bytes.Buffer
	if status := execute(t.Context(), line("here.db"), &here, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, &stderr)
	}
	ended := make(chan int)
	go func() { ended <- execute(t.Context(), line("there.db", "--listen", address), &there, os.Stderr) }()
	token := ""
	for token == "" {
		text, _ := os.ReadFile(filepath.Join(dir, "there.db.queue", "token"))
		token = strings.TrimSpace(string(text))
		time.Sleep(10 * time.Millisecond)
	}
	ctx, stop := context.WithCancel(t.Context())
	working := make(chan int)
	go func() {
		var out, problems bytes.Buffer
		working <- execute(ctx, strings.Fields("worker --quiet --workers 2 --nats nats://"+token+"@"+address), &out, &problems)
	}()
	if status := <-ended; status != 0 || there.String() != here.String() {
		t.Errorf("status %d, output\n%s\nexpected\n%s", status, &there, &here)
	}
	stop()
	if status := <-working; status != cli.StatusInterrupted {
		t.Errorf("the worker has ended with status %d; expected %d", status, cli.StatusInterrupted)
	}
}
