// Package sweeps has the subcommands for sweeps that can go on later and on other computers: sweep
// and worker.
package sweeps
