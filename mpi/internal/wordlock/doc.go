// Package wordlock is a lock of readers and a writer that lies in words of one rank's memory. Ranks
// change the words by atomic operations of their interfaces, so the owner of the memory need not do
// anything. Who cannot have the lock at once waits for a message of the rank that passes it on.
//
// A free lock takes one operation to acquire, and one to release. Ranks that have to wait stand in a
// lane, each behind the one before, as in the lock of Mellor-Crummey and Scott (ACM TOCS 9, 1991);
// the first of a lane enters its number into the word of the lock, and who releases that gives the
// lock to it. Ranks that hold another lock of the same window have a lane of their own, and go first
// if they want to read: otherwise ranks could wait for each other in a circle.
//
// The package has the steps of one rank, without interfaces and messages. Claim says what is to be
// done next, and is told what came of it.
package wordlock
