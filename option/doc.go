// Package option tells an option once: as a field of a struct, whose tag holds all that
// command lines, files, help and refusals say of it.
//
//	type Job struct {
//		Ranks int    `name:"ranks" short:"n" help:"number of ranks; 0 means one per processor"`
//		Bind  string `name:"bind" values:"core,none" default:"none" help:"bind each rank to a processor"`
//	}
//
// Of lists the options of such a struct. Each is a flag.Value, for package flag and for
// pflag alike, and ReadTOML sets options from a file. The tags are:
//
//	name     of the flag and the key; without it the name in tag json counts. A field
//	         that has neither is no option
//	short    one letter that stands for the name on command lines
//	help     what the option means. Without it the option is no flag
//	value    what the help calls the value, such as FILE; without it, its type
//	values   the only values, with commas between
//	suggest  some of the values, which shells complete, with commas between
//	file     not empty if the value may be the name of a file
//	numbers  not empty if files may have the text without quotes where it is a number
//	default  what the zero value means, for the help
//	for      where the option has a meaning, for refusals; without it, everywhere
//
// An option is given if its field is not zero. The zero value of each field therefore has
// to mean what is right without the option.
package option
