// Package livetest has what tests of several rooms of live share: programs that ranks run as
// goroutines of one process and as processes of their own, and strangers who want to be let in.
package livetest
