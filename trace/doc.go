// Package trace turns what is observed in a run into a timeline: what each rank does, the stages of
// its network interface, what links carry and where packets wait, and messages as arrows from rank
// to rank.
//
// A Recorder writes as it goes. What it keeps grows with ranks, links and interfaces, not with the length of the
// run. Simulated time is cut to whole nanoseconds, the unit of the format; loads of links are means over
// each nanosecond, so that what a link carries adds up.
package trace
