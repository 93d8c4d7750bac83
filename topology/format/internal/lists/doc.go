// Package lists reads and writes lists of links and neighbours: edge and adjacency lists, and the
// files of BookSim, netbench and Slurm.
package lists
