package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var commandInText = regexp.MustCompile("`musubi ([^`]+)`")

// TestPapersCommands runs every command that docs/papers.md names, and expects it to succeed; those that
// take seconds with -long. It is for builds without the race detector, see raceDetector.
func TestPapersCommands(t *testing.T) {
	if raceDetector {
		t.Skip("simulations take minutes with the race detector; run this test without it")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "papers.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := commandInText.FindAllSubmatch(text, -1)
	if len(commands) < 40 {
		t.Fatalf("found %d commands; expected more", len(commands))
	}
	t.Chdir(t.TempDir())
	for _, c := range commands {
		line := string(c[1])
		if strings.HasPrefix(line, "reproduce") || line == "plan rings" {
			continue // package reproduce tests the first; the second takes a recorded run, as in docs/rings.md
		}
		if isLeftOut(line) {
			continue
		}
		t.Run(line, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if status := execute(context.Background(), append(strings.Fields(line), "--quiet"), &stdout, &stderr); status != 0 {
				t.Errorf("ended with status %d: %s", status, stderr.String())
			}
			if stdout.Len() == 0 && !strings.Contains(line, "--output") {
				t.Error("printed nothing")
			}
		})
	}
}
