// Package routing computes deadlock-free routes for networks of any shape,
// proves routes free of deadlock, and converts them to and from the tables that
// switches hold.
package routing
