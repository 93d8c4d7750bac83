// Package perfetto writes timelines in the protobuf form of Perfetto (https://perfetto.dev), which
// its page and its trace_processor open.
//
// A trace is a sequence of packets (message Trace, field packet). A track is described once, and then
// has events that name it: slices that begin and end and nest, instants, and values of counters. A
// flow is a number that joins slices of several tracks to an arrow. Names of events and of their
// arguments are written once and then stand for numbers. The numbers of messages and fields are
// those of Perfetto's protos/perfetto/trace; the tests decode with a copy of the definitions.
//
// A Writer keeps no events. Two traces one after the other in a file are one trace, if their writers
// had different sequences.
package perfetto
