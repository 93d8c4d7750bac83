package shm

import (
	"strings"
	"testing"
)

func TestStatementsAreOfTheLastWait(t *testing.T) {
	var s statement
	if got := s.Read(); got != "" {
		t.Errorf("a rank that has said nothing says %q", got)
	}
	long := strings.Repeat("ab", mostText)
	for _, text := range []string{"", "a", "12345678", "123456789", long[:mostText], long, "cut " + strings.Repeat("ö", mostText/2)} {
		s.Begin(1)
		if got := s.Read(); got != "" {
			t.Errorf("before it has said so, a rank waits for %q", got)
		}
		s.Write(text)
		want := text
		if len(text) > mostText {
			want = strings.ToValidUTF8(text[:mostText], "")
		}
		if got := s.Read(); got != want {
			t.Errorf("a rank says %q; want %q", got, want)
		}
	}
}
