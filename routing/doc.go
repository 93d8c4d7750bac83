// Package routing computes deadlock-free routes for networks of any shape, and proves routes free
// of deadlock.
//
// Routes hold one path for every ordered pair of end points. An Algorithm yields
// them for a topology.Network, Verify proves them, Statistics measures them.
//
// Package routing/tables converts Routes to and from the tables that switches hold, so that
// tables of unknown origin can be proved too.
//
// The package knows no time, no buffers and no traffic: a proof says that no cycle
// of channels can close, not how fast packets are. It considers deterministic
// routing only.
//
// # How an algorithm works
//
// Most algorithms are a plan: which paths are legal, and which virtual channels a path uses.
// The rest is common code (plan.go).
//
//	guide      for each destination, the legal paths of least length, as a graph over states:
//	           a switch, and what else decides how a packet may go on, such as whether it
//	           has gone down (guide.go, ways.go). The states are those of a finite automaton, or, if
//	           switches forward by destination alone, the switches (destination.go)
//	selector   goes one of these paths for each pair, by the Selection (select.go); balanced,
//	           it has looked for choices that load the busiest link little (balance.go)
//	assign     gives a path its virtual channels
//
// Work on one destination after the other goes on on all cores (pipeline.go): the paths to a
// destination are found and walked anywhere, and loads and tables change in order. So the result is
// that of one core.
//
// On regular networks a rule computes each path when it is needed (computed.go, dimension_order.go),
// and has a proof of its own, from its structure.
//
// A spanning tree (tree.go) gives the automata of updown, the turn models and dl their rules. lash
// and the turn models also add turns to a graph of channels that is kept free of cycles
// (order.go).
//
// A proof uses none of that. Verify collects the channel dependencies of all paths by class of
// traffic (use.go, cdg.go), and looks for a shortest cycle and the paths that close it (cycle.go).
package routing
