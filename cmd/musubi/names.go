package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// choose checks that name is one of the known ones and says what they are if
// not. what is the kind of thing, such as "path selection".
func choose(what, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	return fmt.Errorf("unknown %s %q%s; known are %s", what, name, didYouMean(name, known), strings.Join(known, ", "))
}

// maxTypos is how many mistakes may lie between a name and what it stands for.
const maxTypos = 2

// didYouMean returns the known name that a misspelt one may stand for, as a part
// of a message; empty if none is near, or name is known.
func didYouMean(name string, known []string) string {
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

// editDistance counts the insertions, deletions and replacements of bytes that
// make b of a (Wagner and Fischer 1974).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// completeWith lets shells complete the value of a flag.
func completeWith(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist
	}
}

// completeNamesOrFiles lets shells complete the value of a flag that is a name or
// a file.
func completeNamesOrFiles(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveDefault))
	if err != nil {
		panic(err)
	}
}
