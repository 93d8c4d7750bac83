package cli

import (
	"musubi/option"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// DefineOptions gives a command a flag for each option, whose value shells complete.
func DefineOptions(cmd *cobra.Command, options []*option.Option) {
	AddFlags(cmd.Flags(), options)
	for _, o := range options {
		switch {
		case o.Help == "" || o.Suggest == nil:
		case o.File:
			completeNamesOrFiles(cmd, o.Name, o.Suggest...)
		default:
			completeWith(cmd, o.Name, o.Suggest...)
		}
	}
}

// AddFlags adds a flag for each option.
func AddFlags(flags *pflag.FlagSet, options []*option.Option) {
	for _, o := range options {
		if o.Help == "" {
			continue
		}
		flag := flags.VarPF(o, o.Name, o.Short, o.Usage())
		if o.IsBoolFlag() {
			flag.NoOptDefVal = "true"
		}
	}
}
