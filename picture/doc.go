// Package picture draws results: rows with units and axes, of one run or of several, as curves
// over the axis that they share, as bars where a time has parts, and as a matrix where they are
// about pairs of ranks. Which, and in which scale, follows from the rows.
//
// The drawings are for print and for all eyes: colours that people with any colour vision tell
// apart (Okabe and Ito, Color Universal Design, 2008), and besides for each curve a marker and a
// pattern of dashes of its own.
package picture
