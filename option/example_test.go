package option_test

import (
	"flag"
	"fmt"

	"musubi/option"
)

func Example() {
	var job struct {
		Ranks int    `name:"ranks" short:"n" help:"number of ranks; 0 means one per processor"`
		Bind  string `name:"bind" values:"core,none" default:"none" help:"bind each rank to a processor"`
	}
	flags := flag.NewFlagSet("job", flag.ContinueOnError)
	for _, o := range option.Of(&job) {
		flags.Var(o, o.Name, o.Usage())
	}
	err := flags.Parse([]string{"-ranks", "4", "-bind", "chair"})
	fmt.Println(job.Ranks, err)
	for _, o := range option.Of(&job) {
		fmt.Println(o.Name, o.Given(), o.Check())
	}
	// Output:
	// 4 <nil>
	// ranks true <nil>
	// bind true bind "chair"; expected core or none
}
