// Package shm is the memory that the ranks of a host share, and what they do with it without asking
// anybody.
//
// A group of ranks has one piece of anonymous shared memory, a Region. It has no name, so nothing is
// left behind, however the processes end. In it lie
//
//   - a ring of bytes for each ordered pair of ranks, into which one writes records (Writer) and from
//     which the other takes them (Reader), in order and without locks;
//   - a cache line that two ranks have in common, which messages of some words and the answers to
//     them go by;
//   - an arena for each rank, of which it makes windows, and tables that say where these are;
//   - command queues, and what ranks tell each other about them;
//   - what each rank tells about itself: whether it waits and for what, and that it lives.
//
// Long transfers go from process to process (process_vm_readv, process_vm_writev), where the system
// allows it. How memory is ordered between processors, and written past their caches, is here, too.
//
// None of that is a protection from malice: ranks let other processes of their user read and write
// their memory.
package shm
