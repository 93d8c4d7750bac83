package cc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"musubi/cmd/musubi/internal/cli"

	"github.com/spf13/cobra"
)

// compiler is a command that compiles programs of MPI and links them with the MPI library.
type compiler struct {
	name, language string
	variable       string // of the environment, which names the compiler
	usual          string
	suffix         string   // of the files with programs
	libraries      []string // that programs are linked with
}

// Command is the subcommand that calls a compiler.
func Command(x compiler) *cobra.Command {
	return &cobra.Command{
		Use:   x.name + " [-show] [ARGUMENT...]",
		Short: "Compile and link MPI programs in " + x.language,
		Long: fmt.Sprintf(`%s runs the compiler that %s names, or %s, with what a program of MPI
needs. All arguments are the compiler's, but for these:

  -show           print the command in place of running it
  -compile-info   print what it adds for compiling
  -link-info      print what it adds for linking

The library is libmpi_abi.so of the standard ABI of MPI 5.0. It is looked for in
MUSUBI_PREFIX, or beside the folder that this program is in; abi/install puts it there.`, strings.ToUpper(x.name[:1])+x.name[1:], x.variable, x.usual),
		Example:            "  musubi " + x.name + " -O2 -o heat heat." + x.suffix + "\n  musubi launch -n 4 ./heat",
		DisableFlagParsing: true, // they are the compiler's
		Annotations:        map[string]string{cli.OwnArguments: ""},
		RunE:               func(cmd *cobra.Command, args []string) error { return x.run(cmd, args) },
	}
}

// The languages that have a command.
var (
	C       = compiler{"cc", "C", "CC", "cc", "c", []string{"-lmpi_abi"}}
	CXX     = compiler{"c++", "C++", "CXX", "c++", "cc", []string{"-lmpi_abi"}}
	Fortran = compiler{"fc", "Fortran", "FC", "gfortran", "f90", []string{"-lmusubi_fortran", "-lmpi_abi"}}
)

func (x compiler) run(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
		return cmd.Help()
	}
	prefix, err := mpiPrefix()
	if err != nil {
		return err
	}
	program := x.program(prefix)
	command := append(strings.Fields(program), compileFlags(prefix)...)
	if strings.Contains(program, "gfortran") { // subroutines of mpif.h take data of any type
		command = append(command, "-fallow-argument-mismatch")
	}
	show, links := false, !isQuestion(args)
	for _, a := range args {
		switch a {
		case "-show", "-compile-info", "-compile_info", "-link-info", "-link_info":
			show = true
		case "-c", "-S", "-E", "-M", "-MM":
			links = false
		}
	}
	var own []string
	for _, a := range args {
		switch a {
		case "-show":
		case "-compile-info", "-compile_info":
			links = false
		case "-link-info", "-link_info":
			links = true
		default:
			own = append(own, a)
		}
	}
	command = append(command, own...)
	if links {
		command = append(command, x.linkFlags(prefix)...)
	}
	if show {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(command, " "))
		return err
	}
	return runCompiler(cmd, command)
}

// program returns the compiler to run. Make and configure tell it in the variable, too, if their CC is mpicc:
// that names whoever asks, and so no compiler.
func (x compiler) program(prefix string) string {
	given := os.Getenv(x.variable)
	if given == "" || slices.ContainsFunc(strings.Fields(given), func(word string) bool { return isOurs(prefix, word) }) {
		return x.usual
	}
	return given
}

// isOurs returns whether a word of a command is this program, or a wrapper that runs it.
func isOurs(prefix, word string) bool {
	file, err := exec.LookPath(word)
	if err != nil {
		return false
	}
	is, err := os.Stat(file)
	if err != nil {
		return false
	}
	same := func(other string) bool {
		o, err := os.Stat(other)
		return err == nil && os.SameFile(is, o)
	}
	self, err := os.Executable()
	if err != nil {
		return false
	}
	if resolved, err := filepath.EvalSymlinks(self); err == nil {
		self = resolved
	}
	wrapper := filepath.Join("mpi", "bin", "mpicc") // the others are links to it
	return same(self) || same(filepath.Join(prefix, wrapper)) || same(filepath.Join(filepath.Dir(self), "..", wrapper))
}

// isQuestion returns whether a compiler is asked something, such as -v, and gets no program.
func isQuestion(args []string) bool {
	return len(args) == 1 && strings.HasPrefix(args[0], "-") && args[0] != "-show"
}

func compileFlags(prefix string) []string { return []string{"-I" + filepath.Join(prefix, "include")} }

func (x compiler) linkFlags(prefix string) []string {
	lib := filepath.Join(prefix, "lib")
	return append([]string{"-L" + lib, "-Wl,-rpath," + lib}, x.libraries...)
}

func runCompiler(cmd *cobra.Command, command []string) error {
	c := exec.CommandContext(cmd.Context(), command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	err := c.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return &cli.ExitError{Status: max(1, failed.ExitCode()), Err: fmt.Errorf("%s has ended with status %d", command[0], failed.ExitCode())}
	}
	return err
}

// prefixVariable names the folder that the MPI library is installed below.
const prefixVariable = "MUSUBI_PREFIX"

// mpiPrefix returns the folder below which mpi.h and the library lie.
func mpiPrefix() (string, error) {
	prefix := os.Getenv(prefixVariable)
	if prefix == "" {
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		if self, err = filepath.EvalSymlinks(self); err != nil {
			return "", err
		}
		prefix = filepath.Dir(filepath.Dir(self))
	}
	for _, file := range []string{"include/mpi.h", "lib/libmpi_abi.so"} {
		if _, err := os.Stat(filepath.Join(prefix, file)); errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("no %s; expected the MPI library below %s or in %s: abi/install puts it there", filepath.Join(prefix, file), prefix, prefixVariable)
		} else if err != nil {
			return "", err
		}
	}
	return prefix, nil
}
