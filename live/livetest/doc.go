// Package livetest has what tests of several rooms of live share: programs that ranks run as
// goroutines of one process and as processes of their own, and peers that have not authenticated.
package livetest
