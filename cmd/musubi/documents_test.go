package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocuments runs the examples of the documents, which look like
//
//	$ musubi COMMAND
//	output
//
// indented by four blanks, and compares what they print. A line "..." stands for any
// lines. With -long it runs the examples that take seconds, and without it the others. With -update it
// writes what they all print into the documents, except where
// something is left out. It is for builds without the race detector, see raceDetector.
func TestDocuments(t *testing.T) {
	skipSimulations(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var documents []string
	for _, pattern := range []string{"docs/*.md", "docs/machines/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	// Examples name files of the repository, and write others.
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join(root, "examples"), "examples"); err != nil {
		t.Fatal(err)
	}
	for _, path := range append(documents, filepath.Join(root, "README.md")) {
		t.Run(filepath.Base(path), func(t *testing.T) { checkDocument(t, path) })
	}
}

func checkDocument(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	var leftOut []string
	for _, e := range examplesIn(text) {
		if isLeftOut(e.command) || !*update && e.reproduces() && !*nightly {
			leftOut = append(leftOut, e.command)
			continue
		}
		got := e.run()
		diff := cmp.Diff(withoutTimes(e.output), withoutTimes(got))
		switch {
		case e.isAbridged() && e.abridges(got):
		case e.isAbridged():
			t.Errorf("musubi %s: what the document shows of it is not what it prints:\n%s", e.command, got)
		case diff != "" && *update:
			text = strings.Replace(text, e.text, e.with(got), 1)
		case diff != "":
			t.Errorf("musubi %s (-document +program):\n%s", e.command, diff)
		}
	}
	checkPictures(t, path, text, leftOut)
	if *update && text != string(data) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Commands can be pasted as they stand: what is said beside one is a comment to the shell, too.
func TestCommandsOfDocumentsCanBePasted(t *testing.T) {
	said := regexp.MustCompile(`(?m)^    (musubi|go run|mpirun|mpiexec|srun) .*\S {3,}[^\s#\\].*$`)
	for _, pattern := range []string{"../../README.md", "../../docs/*.md", "../../docs/machines/*.md"} {
		found, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d documents, %v", pattern, len(found), err)
		}
		for _, path := range found {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range said.FindAllString(string(text), -1) {
				t.Errorf("%s: %q; expected a # before what is no part of the command", path, line)
			}
		}
	}
}

// example is a command in a document, with its output.
type example struct {
	text            string // in the document
	command, output string // without indentation
}

// reproduces reports whether an example is for -nightly, as package reproduce holds its cells for
// each change.
func (e example) reproduces() bool { return strings.HasPrefix(e.command, "reproduce ") }

var examplePattern = regexp.MustCompile(`(?m)^    \$ musubi (.*)\n((?:    [^$\n].*\n|\n)*)`)

func examplesIn(text string) []example {
	var all []example
	for _, m := range examplePattern.FindAllStringSubmatch(text, -1) {
		body := strings.TrimRight(m[2], "\n")
		output := strings.ReplaceAll("\n"+body, "\n    ", "\n")
		all = append(all, example{
			text:    strings.TrimRight(m[0], "\n"),
			command: m[1],
			output:  strings.TrimPrefix(output, "\n"),
		})
	}
	return all
}

// run returns what the command prints, results first.
func (e example) run() string {
	var stdout, stderr bytes.Buffer
	execute(context.Background(), strings.Fields(e.command), &stdout, &stderr)
	return strings.TrimRight(stdout.String()+stderr.String(), "\n")
}

// omission is a line of a document that stands for any lines.
const omission = "..."

func (e example) isAbridged() bool { return slices.Contains(strings.Split(e.output, "\n"), omission) }

// abridges reports whether the output is got with some lines left out where it says
// so.
func (e example) abridges(got string) bool {
	rest := "\n" + withoutTimes(got) + "\n"
	anchored := true // no lines may be left out before the next part
	for part := range strings.SplitSeq("\n"+withoutTimes(e.output)+"\n", "\n"+omission+"\n") {
		part = "\n" + strings.Trim(part, "\n") + "\n"
		if part == "\n\n" {
			part = ""
		}
		at := strings.Index(rest, part)
		if at < 0 || anchored && at > 0 {
			return false
		}
		rest = "\n" + rest[at+len(part):]
		anchored = false
	}
	return strings.HasSuffix(e.output, omission) || strings.TrimSpace(rest) == ""
}

// with returns the example as it stands in a document, with another output.
func (e example) with(output string) string {
	text := "$ musubi " + e.command + "\n" + output
	var b strings.Builder
	for line := range strings.Lines(text + "\n") {
		if line != "\n" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return strings.TrimRight(b.String(), "\n")
}

var times = regexp.MustCompile(`(?m) *\d+\.\d{4}$|in \d+\.\d+ s$`)

// withoutTimes hides how long something took.
func withoutTimes(text string) string { return times.ReplaceAllString(text, " TIME") }
