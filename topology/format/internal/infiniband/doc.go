// Package infiniband reads and writes the files of InfiniBand tools: dumps, lists of links and
// ports, and systems of IBDM.
package infiniband
