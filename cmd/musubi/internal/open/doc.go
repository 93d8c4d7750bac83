// Package open turns what a command line names into networks, machines and tables, and says of a
// name that is unknown what may have been meant.
package open
