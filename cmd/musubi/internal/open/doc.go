// Package open turns what a command line names into networks, machines, tables and hosts, and says of a
// name that is unknown what may have been meant.
package open
