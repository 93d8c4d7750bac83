package tcp

// Peer is what a rank knows of another one.
type Peer struct {
	Host    string // name, for messages
	Group   int
	Address string // where it takes connections of other groups

	Node string // identifies the host; processes with equal ones see each other
	PID  int
	// Where no parent has made the memory of a group, that of its first rank is taken.
	Memory int // file descriptor
}
