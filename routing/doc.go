// Package routing computes deadlock-free routes for networks of any shape,
// proves routes free of deadlock, and converts them to and from the tables that
// switches hold.
//
// Routes hold one path for every ordered pair of end points. An Algorithm yields
// them for a topology.Network, Verify proves them, Statistics measures them.
//
// Switches hold tables, in three forms: GeneralTable, the richest; RHiNET2Table,
// that of the switch RHiNET-2/SW; and InfiniBandTables. Routes that a form cannot
// express are refused with the first conflict. Every form has files, and following
// tables from end to end yields Routes again, so that tables of unknown origin can
// be proved: packets that do not arrive are counted as a Fault of the proof.
//
// The package knows no time, no buffers and no traffic: a proof says that no cycle
// of channels can close, not how fast packets are. It considers deterministic
// routing only.
package routing
