// Package soak has no code: its test runs live jobs that do a bit of everything in a
// random order and compare all data, and lets things happen to their ranks now and
// then. Whatever that is, each job must end with the right data, or with an error that
// names the rank, and nothing may be left behind. How long it takes is nobody's business,
// unless for a minute it does not go on. Most jobs have a hard time besides, which changes
// nothing of that: their ranks are stopped now and then, share one processor, or always
// collect garbage.
//
//	go test ./live/soak                          a few seconds
//	go test ./live/soak -soak 10m -timeout 20m   for longer
//	go test ./live/soak -seed 7                  the same jobs again
//
// As root it can also put half of the ranks into another network namespace, behind a
// link that is slow and loses packets, and is cut now and then:
//
//	go test ./live/soak -transports net
//
// and let jobs starve, while others take all processors at real-time priority for up to twice
// the time for which a rank may be silent. That disturbs all that runs on the host:
//
//	go test ./live/soak -starve
package soak
