package main

import (
	"cmp"
	"fmt"
	"musubi/report/ordered"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program and what it was built with",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := sharedFlags(cmd)
			v := buildVersion()
			if s.json {
				return ordered.WriteJSON(s.stdout, v)
			}
			_, err := fmt.Fprintf(s.stdout, "musubi %s %s (%s)\n", v.Version, v.Revision, v.Go)
			return err
		},
	}
}

type version struct {
	Version  string `json:"version"`
	Revision string `json:"revision"` // of the source; "unknown" if not recorded
	Go       string `json:"go"`
}

func buildVersion() version {
	v := version{Version: "(devel)", Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version = cmp.Or(info.Main.Version, v.Version)
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	v.Revision = cmp.Or(v.Revision, "unknown")
	return v
}
