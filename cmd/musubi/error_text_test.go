package main

import (
	"strings"
	"testing"
)

// TestErrorsAreShort lets a file of one long line be quoted.
func TestErrorsAreShort(t *testing.T) {
	long := oneLine("place \"f\": line 1: \"" + strings.Repeat("é", 1<<20) + "\" is\nwrong; expected 0 to 3")
	if len(long) > longestError+10 || !strings.HasPrefix(long, `place "f"`) || !strings.HasSuffix(long, "is wrong; expected 0 to 3") {
		t.Errorf("%d bytes: %.60s", len(long), long)
	}
	if short := oneLine("a\nb  c"); short != "a b c" {
		t.Errorf("%q", short)
	}
}
