// Package datatypes has the functions of datatypes, and of packing.
package datatypes
