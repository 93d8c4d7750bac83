// Package report puts results into the forms in which people read them: aligned tables,
// facts and plots for a terminal. Package report/ordered is for programs that read, and package
// report/files writes what goes to files.
//
// Tables are styled only where the output is a terminal; NO_COLOR and the like
// are respected.
package report
