package cli

import (
	"strings"

	"musubi/report"
)

// Plural says how many there are of something.
func Plural[T int | int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return report.Count(n).Text + " " + many
}

// Joined puts a separator between those texts that are not empty.
func Joined(separator string, texts ...string) string {
	var given []string
	for _, t := range texts {
		if t != "" {
			given = append(given, t)
		}
	}
	return strings.Join(given, separator)
}
