// Package graphs reads and writes the languages for graphs of any kind: GraphML, Graphviz, GML and
// the node-link JSON of NetworkX.
package graphs
