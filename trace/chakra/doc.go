// Package chakra reads and writes execution traces of Chakra (mlcommons/chakra), of which each rank has a file
// PREFIX.RANK.et: a graph of computations, messages and collective operations.
//
// A file is a run of messages in protocol buffers, each behind its length: metadata, and then nodes. The
// reader takes today's schema, in which attributes are of any integer type, and the two of mid-2023,
// and files that gzip has packed. The writer uses the types of Chakra's own tools.
//
// A node starts when all on which it depends, by data or control, have ended. Computations of accelerators run
// beside messages, those of processors (is_cpu_op) do not. Collective operations of a group start in
// the order of the file. Accesses to memory take their time like computations.
package chakra
