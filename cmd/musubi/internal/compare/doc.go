// Package compare has the subcommand compare: it sets networks of one size side by side.
package compare
