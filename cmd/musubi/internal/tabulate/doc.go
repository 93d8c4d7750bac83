// Package tabulate prints the rows of a run as tables, one for each metric.
package tabulate
