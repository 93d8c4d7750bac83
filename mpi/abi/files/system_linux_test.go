package files

import (
	"os"
	"path/filepath"
	"testing"

	"musubi/internal/check"
)

// Memory of a file that somebody else makes shorter meanwhile is told, and does not end the process.
func TestMemoryThatIsGoneIsTold(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "data"))
	check.Must(t, err)
	defer file.Close()
	check.Must(t, file.Truncate(100_000))
	if withMemory(file, 10, 90_000, func(memory []byte) {
		memory[0] = 1
		check.Must(t, file.Truncate(1000))
		memory[80_000] = 1
	}) {
		t.Error("all of it has been written; expected that a part is gone")
	}
	if !withMemory(file, 10, 500, func(memory []byte) { memory[7] = 9 }) {
		t.Error("memory of the file has not been written")
	}
	data, err := os.ReadFile(file.Name())
	if err != nil || data[10] != 1 || data[17] != 9 {
		t.Errorf("%v, bytes %d and %d; expected 1 and 9", err, data[10], data[17])
	}
}
