// Package tables converts routes to and from the tables that switches hold.
//
// There are three forms: General, the richest; RHiNET2, for the switch RHiNET-2/SW; and
// InfiniBand. Routes that a form cannot express are refused with the first conflict. Every form
// has files. Following tables from end to end yields routing.Routes again (walk.go), so that
// tables of unknown origin can be proved: packets that do not arrive are counted as a
// routing.Fault of the proof.
//
//	t, err := tables.NewInfiniBand(routes)                        // or tables.ReadForwarding
//	proof, err := t.Verify()
package tables
