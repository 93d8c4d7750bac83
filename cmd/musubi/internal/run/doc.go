// Package run has the subcommands that run one scenario and print its results: run and bench.
package run
