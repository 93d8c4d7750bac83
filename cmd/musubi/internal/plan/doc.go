// Package plan has the subcommand plan: it chooses receive rings for a recorded run.
package plan
