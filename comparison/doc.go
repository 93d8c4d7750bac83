// Package comparison sets networks of one size beside each other: what they are built of and cost, how
// far hosts are apart, and what the failure of a link or a switch does to their routes.
//
// Times of jobs and loads at saturation are runs of package sweep; whoever compares adds them.
package comparison
