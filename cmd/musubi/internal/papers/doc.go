// Package papers has the subcommand reproduce: it prints the figures of papers beside ours.
package papers
