package main

import (
	"musubi/option"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// defineOptions adds a flag for each option.
func defineOptions(flags *pflag.FlagSet, options []*option.Option) {
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

// completeOptions lets shells complete the values of options.
func completeOptions(cmd *cobra.Command, options []*option.Option) {
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
