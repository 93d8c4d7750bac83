// Package turns is the 2D turn model: turns by direction in a drawing of a spanning tree, and which of them a
// network can do without.
package turns
