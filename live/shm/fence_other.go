//go:build !arm64

package shm

// On amd64 writes are seen in their order, and reads are done in theirs.

func StoreFence() {}

func LoadFence() {}
