// Package programs lists all workloads by their names.
package programs
