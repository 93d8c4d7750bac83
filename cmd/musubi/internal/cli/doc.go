// Package cli is what the subcommands of musubi share as programs of a shell: arguments and flags,
// help, notes and progress, files of results, and exit statuses.
package cli
