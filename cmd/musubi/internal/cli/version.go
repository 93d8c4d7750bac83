package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"musubi/report/ordered"

	"github.com/spf13/cobra"
)

// VersionCommand is the subcommand version.
func VersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program and what it was built with",
		Args:  NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := SharedFlags(cmd)
			v := BuildVersion()
			if s.JSON {
				return ordered.WriteJSON(s.Stdout, v)
			}
			_, err := fmt.Fprintln(s.Stdout, v)
			return err
		},
	}
}

// jsonFormat rises when a field of JSON is removed, renamed or given another meaning, and not when one is added.
const jsonFormat = 1

type version struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`           // of the source; "unknown" if not recorded
	Date     string `json:"date,omitempty"`     // of the revision
	Modified bool   `json:"modified,omitempty"` // the source had changes beside the revision
	Go       string `json:"go"`
	Format   int    `json:"json_format"` // of what commands write with --json, see docs/json.md
}

func (v version) String() string {
	source := v.Revision
	if v.Modified {
		source += ", modified"
	}
	if v.Date != "" {
		source += ", of " + v.Date
	}
	return fmt.Sprintf("musubi %s (%s; %s)", v.Version, source, v.Go)
}

// BuildVersion is the version of this program, as far as the build has recorded it.
func BuildVersion() version {
	v := version{Version: "(devel)", Go: runtime.Version(), Format: jsonFormat}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version = cmp.Or(info.Main.Version, v.Version)
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Revision = s.Value
			case "vcs.time":
				v.Date = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			}
		}
	}
	v.Revision = cmp.Or(v.Revision, "unknown")
	return v
}
