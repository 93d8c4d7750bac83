// Package groups measures what all ranks do together: barriers, collective operations, multicasts.
package groups
