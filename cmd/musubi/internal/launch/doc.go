// Package launch has the subcommands about live jobs: launch, agent and ps.
package launch
