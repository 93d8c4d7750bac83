// Package schedule holds what the ranks of a job send, receive and compute, and what waits for what. Other
// packages read and write files of it (trace/goal), tell how long it takes (trace/goal/loggops), or carry
// it out (workload/replay).
//
// A Builder makes one operation after the other:
//
//	b := schedule.NewBuilder(2)
//	work := b.Add(0, schedule.Op{Kind: schedule.Calc, Size: 1000})
//	send := b.Add(0, schedule.Op{Kind: schedule.Send, Size: 100, Peer: 1})
//	b.Require(0, work, send)
//	b.Add(1, schedule.Op{Kind: schedule.Receive, Size: 100, Peer: 0})
//	s := b.Schedule()
package schedule
