// Package show prints and draws networks, proofs and cycles of channels, as several subcommands do.
package show
