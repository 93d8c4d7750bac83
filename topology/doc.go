// Package topology describes networks as graphs: switches with numbered ports,
// bidirectional links between them, and end points. It makes regular and random
// networks, and reads and writes the files in which fabrics are described.
//
// It knows nothing about routing or time.
package topology
