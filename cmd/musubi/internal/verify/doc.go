// Package verify has the subcommands that prove the tables of a fabric: verify, once, and watch,
// whenever they change.
package verify
