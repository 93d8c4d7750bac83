package programs_test

import (
	"fmt"

	"musubi/workload"
	"musubi/workload/programs"
)

// Mistakes in the parameters are found before anything runs.
func ExampleWorkload_Prepare() {
	w, err := programs.Lookup("pingpong")
	if err != nil {
		fmt.Println(err)
		return
	}
	env := workload.Env{Ranks: 16, BOTF: 64}
	_, err = w.Prepare(map[string]string{"mechanism": "botf", "bytes": "8..256"}, env)
	fmt.Println(err)
	// Output:
	// workload pingpong: bytes=8..256: this machine's BOTF takes at most 64 bytes, and 256 are asked for
}
