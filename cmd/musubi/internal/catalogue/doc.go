// Package catalogue has the subcommands that show what there is to run on: topology and machines.
package catalogue
