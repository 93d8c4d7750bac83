// Package loggops tells how long a schedule in GOAL takes in the model LogGOPS, as LogGOPSim does
// (Hoefler, Schneider and Lumsdaine, LogGOPSim: simulating large-scale applications in the LogGOPS
// model, LSAP 2010), or as its descendant in ATLAHS does. The two differ:
//
//	                             LogGOPSim                     ATLAHS
//	bytes of a message, (s-1)G   take the receiver's processor are under way
//	a message that arrives       takes the processor at once   waits for its receive, which pays
//	an operation starts          when its processor is free    also not before what it requires ends
//	a message beyond S ends      when it is matched            when its receive ends
//	messages of 0 bytes          gain G                        count as 1 byte
//	a source or tag of any       matches all                   matches none
//
// In both an operation is tried when its time has come, in the order of times and then of numbers, which
// operations get when they become free and messages when they are sent. What finds its processor or
// interface taken is tried again when that is free, with the number it has.
//
// Where LogGOPSim's own result depends on the sort of a C++ library, which for more than 16 operations
// that become free at once loses their order, this package keeps the order. Where that of ATLAHS depends
// on its heap, as it leaves equal times without an order, this one takes the order of numbers.
package loggops
