package cli

import (
	"fmt"
	"slices"
	"strings"

	"musubi/internal/spelling"

	"github.com/spf13/cobra"
)

// Choose checks that name is one of the known ones and says what they are if
// not. what is the kind of thing, such as "path selection".
func Choose(what, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	return fmt.Errorf("unknown %s %q%s; known are %s", what, name, spelling.DidYouMean(name, known), strings.Join(known, ", "))
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
