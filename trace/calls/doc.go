// Package calls makes a timeline of ranks that are processes: which calls of the library they are in, and the
// messages between them. Each process notes what it does, and whoever has started them puts the parts together.
package calls
