package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var picturePattern = regexp.MustCompile(`!\[[^\]]+\]\(([^)]+\.svg)\)`)

// checkPictures compares the pictures that a document shows with the files that its examples have
// just written into this directory under the same names, but for those of commands that are left out.
// With -update it copies them.
func checkPictures(t *testing.T, document, text string, leftOut []string) {
	for _, m := range picturePattern.FindAllStringSubmatch(text, -1) {
		shown := filepath.Join(filepath.Dir(document), filepath.FromSlash(m[1]))
		name := filepath.Base(shown)
		if slices.ContainsFunc(leftOut, func(command string) bool { return strings.Contains(command, name) }) {
			continue
		}
		made, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("no example of the document writes %s, which it shows", name)
			continue
		}
		if *update {
			if err := os.WriteFile(shown, made, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		committed, err := os.ReadFile(shown)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(made, committed) {
			t.Errorf("%s is not what the command beside it draws; look at both, and use -update if the new one is better", m[1])
		}
	}
}
