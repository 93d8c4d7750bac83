package rings_test

import (
	"fmt"
	"os"

	"musubi/rings"
)

// A process has heard 90 times from rank 1, with bursts of 250 bytes, and 10 times
// from each of two others. Of these at most 300 bytes were under way at a time.
func ExampleMake() {
	record := &rings.Record{Packet: 100, Processes: []rings.Process{
		{Rank: 0, Peak: 300, Partners: []rings.Partner{
			{Rank: 1, Messages: 90, Bytes: 4500, Largest: 50, Burst: 250},
			{Rank: 2, Messages: 10, Bytes: 1500, Largest: 150, Burst: 150},
			{Rank: 3, Messages: 10, Bytes: 1500, Largest: 150, Burst: 150},
		}},
		{Rank: 1}, {Rank: 2}, {Rank: 3},
	}}
	all, err := rings.Make(record, 600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	for _, ring := range all[0].Private {
		fmt.Println("private ring for", ring.Senders, "of", ring.Bytes, "bytes")
	}
	fmt.Println("ring for all others of", all[0].Other.Bytes, "bytes")
	// Output:
	// private ring for [1] of 300 bytes
	// ring for all others of 300 bytes
}
