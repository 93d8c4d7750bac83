// Package topology describes networks as graphs: switches with numbered ports,
// bidirectional links between them, and end points.
//
// It knows nothing about routing or time. Package networks opens the network
// that a name or file describes; generate makes regular and random networks, and
// format reads and writes the files in which fabrics are described.
//
// Programs that build networks themselves fill in a Network and pass it to New,
// which checks it, puts links and end points in their canonical order and indexes
// them. Ports count from 1.
package topology
