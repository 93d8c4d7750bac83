// Package report formats results for people: aligned tables, facts and plots for a terminal.
// Package report/ordered writes JSON for programs, and package report/files writes files.
//
// Tables are styled only where the output is a terminal; NO_COLOR and the like
// are respected.
package report
