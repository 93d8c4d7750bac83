package environment

import (
	"testing"

	"musubi/mpi/abi/abitest"
	"musubi/mpi/abi/standard"
)

// The tools interface works before MPI_Init, has nothing to show, and names no handler's error.
func TestToolsWithoutVariables(t *testing.T) {
	p := new(abitest.Program)
	call := p.Caller(t)
	const room, text = 64, 128
	p.Store(text, []byte("a name\x00"))
	if code := call("MPI_T_cvar_get_num", room); code != toolsNotInitialized {
		t.Errorf("before MPI_T_init_thread: code %d; expected %d", code, toolsNotInitialized)
	}
	for range 2 {
		if code := call("MPI_T_init_thread", standard.ThreadMultiple, room); code != standard.Success || p.Int(room) != standard.ThreadSerialized {
			t.Errorf("MPI_T_init_thread: code %d, level %d", code, p.Int(room))
		}
	}
	for _, name := range []string{"cvar", "pvar", "category", "source"} {
		p.PutInt(room, 7)
		if code := call("MPI_T_"+name+"_get_num", room); code != standard.Success || p.Int(room) != 0 {
			t.Errorf("MPI_T_%s_get_num: code %d, %d", name, code, p.Int(room))
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
	if code := call("MPI_T_pvar_session_create", room); code != standard.Success || p.Word(room) == 0 {
		t.Errorf("MPI_T_pvar_session_create: code %d, session %d", code, p.Word(room))
	}
	if code := call("MPI_T_pvar_handle_alloc", p.Word(room), 0); code != toolsInvalidIndex {
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
