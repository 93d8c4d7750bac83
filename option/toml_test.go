package option_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"musubi/option"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestFiles(t *testing.T) {
	const text = `ranks = 3
seed = 5
quiet = true
title = "a \"b\""
grace = "2s"
wait = "1m"

[set]
bytes = 8
kept = "of the file"
switch.latency = "1ns"
"switch.buffer" = "2KiB"
table = { inner = true }
`
	j := job{Set: map[string]string{"kept": "of the command line"}, Ranks: 7}
	lines, err := option.ReadTOML("f", []byte(text), option.Of(&j), func(name string) bool { return name == "ranks" })
	want := job{Shared{true}, 7, "", 5, 2 * time.Second, patience(time.Minute), nil, map[string]string{
		"kept": "of the command line", "bytes": "8", "switch.latency": "1ns", "switch.buffer": "2KiB", "table.inner": "true",
	}, `a "b"`, nil, nil}
	if diff := gocmp.Diff(want, j, gocmp.AllowUnexported(job{})); diff != "" || err != nil {
		t.Fatalf("error %v, -want +got:\n%s", err, diff)
	}
	wrong := errors.New("wrong")
	for name, want := range map[string]string{
		"seed": "f:2: wrong", "ranks": "wrong", "set.kept": "wrong", "set.bytes": "f:9: wrong",
		"set.switch.buffer": "f:12: wrong", "set.table.inner": "f:13: wrong", "bind": "wrong",
	} {
		if err := lines.Locate(name, wrong); err.Error() != want || !errors.Is(err, wrong) {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
}

func TestWrongFiles(t *testing.T) {
	for text, want := range map[string]string{
		"rank = 3":                   `f:1: unknown key "rank"; known are quiet, ranks, bind, seed, grace, wait, title, [set]`,
		"seed = 1\n[sett]\nx = 1":    `f:2: unknown key "sett"; known are`,
		"results = 1":                `f:1: unknown key "results"`,
		"ranks = 1\nranks = 2":       "f:2: ",
		"\nranks = \"many\"":         "f:2: ranks has a value of the wrong kind; expected a whole number",
		"ranks = 1.5":                "f:1: ranks has a value of the wrong kind; expected a whole number",
		"seed = -1":                  "f:1: seed has a value of the wrong kind; expected a whole number, not negative",
		"quiet = 1":                  "f:1: quiet has a value of the wrong kind; expected true or false",
		"bind = 1":                   "f:1: bind has a value of the wrong kind; expected a text",
		"wait = \"soon\"":            `f:1: wait is "soon"; expected a time`,
		"set = \"a=b\"":              "f:1: set has a value of the wrong kind; expected a table",
		"[[set]]\na = 1":             "f:1: set has a value of the wrong kind; expected a table",
		"[set]\na = [1]":             `f:2: a is an array; expected a list as a text, such as "8,16"`,
		"ranks = 1\nbind = core":     `f:2: "bind = core"; expected a number, true, false or a text in quotes as the value`,
		"ranks =":                    "f:1: ",
		"ranks.a = 1":                "f:1: ranks has a value of the wrong kind; expected a whole number",
		"seed = 1\nquiet = 2\nx = 1": "f:2: quiet has",
	} {
		var j job
		_, err := option.ReadTOML("f", []byte(text), option.Of(&j), func(string) bool { return false })
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v; want %s", text, err, want)
		}
	}
}

func FuzzReadTOML(f *testing.F) {
	for _, text := range []string{
		"title = \"pingpong\"\nbind = \"rhinet2\"\n[set]\nbytes = 8\nswitch.latency = \"1ns\"\n",
		"set = { a = { b.c = 1 }, d = [1, 2] }\n",
		"[set.switch]\nlatency = \"1ns\"\n", "[[set]]\n", "seed = -1\n", "ranks = 1e9\n", "bind = ",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var j job
		options := option.Of(&j)
		lines, err := option.ReadTOML("f", []byte(text), options, func(string) bool { return false })
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %v", err)
		}
		wrong := errors.New("wrong")
		for name := range j.Set {
			if located := lines.Locate("set."+name, wrong); err == nil && !strings.HasPrefix(located.Error(), "f:") {
				t.Errorf("setting %q stands on no line", name)
			}
		}
	})
}

// No seed is too small, and none is negative.
func TestSeedsOfAnySize(t *testing.T) {
	for text, want := range map[string]string{"seed = 0": "", "seed = 9223372036854775807": "", "seed = -1": "f:1: seed has a value of the wrong kind"} {
		j := job{Seed: 7}
		_, err := option.ReadTOML("f", []byte(text), option.Of(&j), func(string) bool { return false })
		if want == "" && (err != nil || j.Seed == 7) || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: seed %d, error %v", text, j.Seed, err)
		}
	}
}
