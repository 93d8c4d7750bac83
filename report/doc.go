// Package report puts results into the forms in which people and programs read
// them: aligned tables for a terminal, and JSON.
//
// Tables are styled only where the output is a terminal; NO_COLOR and the like
// are respected. JSON has its fields in the order in which they were given, so
// that equal results are equal bytes.
package report
