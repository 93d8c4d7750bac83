package mpi

// SendInit prepares a Send. Errors are as for Send.
func SendInit[T any](c *Comm, to, tag int, data []T) (*Persistent, error) {
	return sendInit(c, "SendInit", to, tag, data, false)
}

// SendSyncInit prepares a SendSync.
func SendSyncInit[T any](c *Comm, to, tag int, data []T) (*Persistent, error) {
	return sendInit(c, "SendSyncInit", to, tag, data, true)
}

func sendInit[T any](c *Comm, call string, to, tag int, data []T, sync bool) (*Persistent, error) {
	b, err := sending(c, call, to, tag, data)
	if err != nil {
		return nil, err
	}
	return persistentOf(c.comm.PrepareSend(call, to, tag, b, sync)), nil
}

// ReceiveInit prepares a Receive. Errors are as for Receive.
func ReceiveInit[T any](c *Comm, from, tag int, into []T) (*Persistent, error) {
	const call = "ReceiveInit"
	b, err := receiving(c, call, from, tag, into)
	if err != nil {
		return nil, err
	}
	return persistentOf(c.comm.PrepareReceive(call, from, tag, b)), nil
}
