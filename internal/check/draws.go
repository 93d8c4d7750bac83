package check

import "flag"

// DrawLess lets rapid test the properties of a package with 40 random cases, which are others each time, in place of
// 100: those that simulate take 10 ms each. With -rapid.checks there are as many as it says.
func DrawLess() {
	if err := flag.Set("rapid.checks", "40"); err != nil {
		panic(err) // the package does not use rapid
	}
}
