// Package match lets a network interface match messages with posted receives, as MPI defines it:
// by source, tag and context, as the first packet of a message arrives. A message that matches goes
// to the buffer of its receive. One that does not goes to a receive ring, where the process looks
// at it. The package knows no time and moves no bytes.
//
// A [Unit] is the half of the interface: a small table of posted receives. A [Host] is the half of
// the process. The process keeps the receives that are not in the table, and the messages that it
// has taken from the rings and not received.
//
// # Two orders
//
// MPI asks for two orders. Of the receives that match a message, the one that was posted first gets
// it. Of the messages of one source that match a receive, the one that was sent first goes to it.
// Each half of the match is known on another side, so both orders need a rule:
//
//   - The table always has the older receives. The process posts a receive to the interface only if
//     it keeps none in the same context. So the interface may look at its table alone.
//   - A receive enters the table only if the process has looked at all messages that have gone to
//     the rings. So what is in the rings never matches what is in the table.
//
// The second rule has a race: while a post is on its way to the interface, a message that it would
// match may go to a ring. Both sides therefore count. A post says how many messages the process has
// looked at; the interface accepts it only if that is all that it has let pass. It does not answer.
// Each message in a ring says the number of the last post that was accepted before the message
// passed. When the process looks at it, what it has posted up to that number is in the table (or has
// been matched), and the rest is not and never will be: those posts were on their way when the
// message passed, and do not count it. The process then keeps these receives, matches the message
// with what it keeps, and may post again.
//
// This needs that posts from one process are accepted in the order in which they were made, between
// two messages that it looks at. So once the interface has refused one, for whatever reason, it
// refuses all others until another message passes. Nothing is lost when the table is full: the
// receive that found no room is with the process, and its message goes to a ring.
//
// # Withdrawing
//
// To cancel a receive the process asks the interface, behind all posts, and waits for the answer.
// If the receive has been matched meanwhile, its message counts, as MPI has it.
//
// Matching in the interface is named as future work in Kitamura et al., Packet Receiving Mechanism
// Supporting Message Passing Model on DIMMnet-2, 2006. The interfaces of that time that do it, such
// as Quadrics Elan, run a program for it on a processor of their own; Portals 4 describes it with a
// list of posted receives, one of unexpected headers, and a search of the second before each entry
// into the first. Here the count takes the place of that search.
package match
