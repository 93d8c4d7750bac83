package ordered

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// The numbers with decimals are those that a regular expression finds outside texts.
func TestRoundsWhatAnExpressionFinds(t *testing.T) {
	token := regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9]+\.[0-9]+(?:e[-+]?[0-9]+)?`)
	pieces := []string{
		`"a"`, `"0.30000000000000004"`, `"\\"`, `"\""`, `"\\\" 1.5"`, `"\u00e9 \n"`, `""`, "0.30000000000000004", "-0.30000000000000004",
		"1.5271599999999999", "3.3333333333333333e-8", "1.00000000000000002e+21", "0.0", "-0.0", "7", "-7", "1e21", "1e-7", "123456789.0123456",
		"true", "null", "{", "}", "[", "]", ",", ":", "\n  ", "0.30000000000000004E5", "1.", "1.5e", "-",
	}
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for range rng.IntN(30) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
			if rng.IntN(2) == 0 {
				b.WriteByte(' ')
			}
		}
		text := []byte(b.String())
		want := token.ReplaceAllFunc(text, func(part []byte) []byte {
			if part[0] == '"' {
				return part
			}
			return roundNumber(part)
		})
		if got := roundNumbers(text); !bytes.Equal(got, want) {
			t.Fatalf("seed %d: %s\nis rounded to %s\nwant %s", seed, text, got, want)
		}
	}
}
