// Package route has the subcommand route: it computes routings, proves and compares them, and
// exports their tables.
package route
