// Package spelling finds the name that was meant where one is misspelt.
package spelling

import (
	"fmt"
	"slices"
	"strings"
)

// maxTypos is how many mistakes may lie between a name and what it stands for.
const maxTypos = 2

// DidYouMean returns the known name that a misspelt one may stand for, as a part
// of a message; empty if none is near, or name is known.
func DidYouMean(name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	best, least := "", maxTypos+1
	for _, k := range known {
		if d := editDistance(strings.ToLower(name), k); d < least && d <= len(k)/2 {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

// editDistance counts the mistakes that make b of a: insertions, deletions and
// replacements of bytes, and swaps of neighbours (Damerau 1964; each byte is in at most
// one swap).
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1) // rows[i][j] is the distance of a[:i] and b[:j]
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			rows[i][j] = min(replace, rows[i][j-1]+1, rows[i-1][j]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
