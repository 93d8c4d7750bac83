package scan

import (
	"strings"
	"testing"
)

// TestNumbersOfPorts reads 1 to 65535.
func TestNumbersOfPorts(t *testing.T) {
	for text, ok := range map[string]bool{"0": false, "1": true, " 65535 ": true, "65536": false, "-1": false, "x": false} {
		if v, got := PortNumber(text); got != ok {
			t.Errorf("%q is %d, %v; want %v", text, v, got, ok)
		}
	}
}

// TestQuotesAreCut shows 60 characters of what a file says, and three points for the rest.
func TestQuotesAreCut(t *testing.T) {
	whole := strings.Repeat("ü", 60)
	for text, want := range map[string]string{whole: `"` + whole + `"`, whole + "x": `"` + whole + `"...`} {
		if got := Quote(text); got != want {
			t.Errorf("%q is shown as %s; want %s", text, got, want)
		}
	}
}
