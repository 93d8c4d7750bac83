package phantom

// Overlap reports whether memories that are not empty have an address in common.
func Overlap(a, b []byte) bool {
	return address(a) < address(b)+uintptr(len(b)) && address(b) < address(a)+uintptr(len(a))
}
