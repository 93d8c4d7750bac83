package environment

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/rma"
)

// memory is a host whose program has a few bytes of memory, from address 64 on, and runs alone.
type memory [256]byte

func (m *memory) View(at uintptr, bytes int) []byte { return m[at-64:][:bytes] }

func (m *memory) Read(at uintptr, into []byte) { copy(into, m.View(at, len(into))) }

func (*memory) Look([]uintptr, [][]byte) bool { return false }

func (m *memory) Store(at uintptr, data []byte) { copy(m[at-64:], data) }

func (*memory) Direct() bool { return true }

func (*memory) Simulated() bool { return false }

func (*memory) Thread() int64 { return 0 }

func (*memory) Yield() {}

func (*memory) Request(abi.Demand, *[8]int64) int64 { return 0 }

func (*memory) Share(int) (int, error) { return 0, errors.ErrUnsupported }

func (*memory) Unshare(int) {}

func (*memory) Map(int, int) ([]byte, int64, error) { return nil, 0, errors.ErrUnsupported }

func (*memory) Unmap([]byte, int64) {}

func (*memory) Tell(string) {}

func (*memory) Join() (rma.Process, func() error, error) { return nil, nil, errors.ErrUnsupported }

func (*memory) Name() string { return "here" }

func (m *memory) word(at int) int64 { return int64(binary.NativeEndian.Uint64(m[at-64:])) }

// caller returns a function that makes calls by their names.
func caller(t *testing.T, m *memory) func(name string, words ...int64) int64 {
	p := abi.New(m)
	return func(name string, words ...int64) int64 {
		t.Helper()
		number := slices.Index(standard.Functions[:], name)
		if number < 0 {
			t.Fatalf("there is no function %s", name)
		}
		all := make([]int64, abi.MostWords)
		copy(all, words)
		return p.Call(number, all)
	}
}

// The tools interface works before MPI_Init, has nothing to show, and names no handler's error.
func TestToolsWithoutVariables(t *testing.T) {
	m := new(memory)
	call := caller(t, m)
	const room, text = 64, 128
	copy(m[text-64:], "a name\x00")
	if code := call("MPI_T_cvar_get_num", room); code != toolsNotInitialized {
		t.Errorf("before MPI_T_init_thread: code %d; expected %d", code, toolsNotInitialized)
	}
	for range 2 {
		if code := call("MPI_T_init_thread", standard.ThreadMultiple, room); code != standard.Success || int32(m.word(room)) != standard.ThreadSerialized {
			t.Errorf("MPI_T_init_thread: code %d, level %d", code, int32(m.word(room)))
		}
	}
	for _, name := range []string{"cvar", "pvar", "category", "source"} {
		m[0] = 7
		if code := call("MPI_T_"+name+"_get_num", room); code != standard.Success || m[0] != 0 {
			t.Errorf("MPI_T_%s_get_num: code %d, %d", name, code, m[0])
		}
	}
	for name, want := range map[string]int64{
		"MPI_T_cvar_get_index": toolsInvalidName, "MPI_T_pvar_get_index": toolsInvalidName, "MPI_T_cvar_get_info": toolsInvalidIndex, "MPI_T_category_get_cvars": toolsInvalidIndex,
		"MPI_T_cvar_handle_alloc": toolsInvalidIndex, "MPI_T_cvar_read": toolsInvalidHandle, "MPI_T_pvar_handle_alloc": toolsInvalidSession, "MPI_T_event_handle_alloc": toolsInvalidIndex,
	} {
		if code := call(name, text); code != want {
			t.Errorf("%s: code %d; expected %d", name, code, want)
		}
	}
	if code := call("MPI_T_pvar_session_create", room); code != standard.Success || m.word(room) == 0 {
		t.Errorf("MPI_T_pvar_session_create: code %d, session %d", code, m.word(room))
	}
	if code := call("MPI_T_pvar_handle_alloc", m.word(room), 0); code != toolsInvalidIndex {
		t.Errorf("a handle in a session: code %d; expected %d", code, toolsInvalidIndex)
	}
	for _, want := range []int64{standard.Success, toolsInvalidSession} {
		if code := call("MPI_T_pvar_session_free", room); code != want {
			t.Errorf("MPI_T_pvar_session_free: code %d; expected %d", code, want)
		}
	}
	for _, want := range []int64{standard.Success, standard.Success, toolsNotInitialized} {
		if code := call("MPI_T_finalize"); code != want {
			t.Errorf("MPI_T_finalize: code %d; expected %d", code, want)
		}
	}
}
