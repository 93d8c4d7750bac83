package run

import (
	"strings"

	"musubi/sim/machine"
	"musubi/workload/programs"

	"github.com/spf13/cobra"
)

// completeSet lets shells complete the keys of --set: the parameters of the workload, if it is named,
// and then, where a dot has been typed or no workload takes the key, those of the machine.
func completeSet(cmd *cobra.Command) {
	err := cmd.RegisterFlagCompletionFunc("set", func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
		if strings.Contains(typed, "=") {
			return nil, directive
		}
		var keys []string
		add := func(key, help string) {
			if strings.HasPrefix(key, typed) {
				keys = append(keys, cobra.CompletionWithDesc(key+"=", help))
			}
		}
		if len(args) > 0 {
			if w, err := programs.Lookup(args[0]); err == nil {
				for _, p := range w.Params {
					add(p.Name, p.Help)
				}
			}
		}
		if on, err := cmd.Flags().GetString("on"); err == nil {
			if m, err := machine.Load(on); err == nil {
				for _, p := range m.Parameters() {
					add(p.Key, p.Value)
				}
			}
		}
		return keys, directive
	})
	if err != nil {
		panic(err) // the flag does not exist
	}
}
