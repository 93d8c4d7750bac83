//go:build !arm64

package live

// On amd64 writes are seen in their order, and reads are done in theirs.

func storeFence() {}

func loadFence() {}
