// Package ways finds the legal shortest ways between switches, for all sources of a destination at once.
package ways
