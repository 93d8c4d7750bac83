package workload_test

import (
	"fmt"

	"musubi/workload"
)

// Mistakes in the parameters are found before anything runs.
func ExampleWorkload_Prepare() {
	w, err := workload.Lookup("pingpong")
	if err != nil {
		fmt.Println(err)
		return
	}
	env := workload.Env{Ranks: 16, PIO: 64}
	_, err = w.Prepare(map[string]string{"mechanism": "pio", "bytes": "8..256"}, env)
	fmt.Println(err)
	// Output:
	// workload pingpong: mechanism=pio: this machine's PIO takes at most 64 bytes, and 256 are asked for
}
