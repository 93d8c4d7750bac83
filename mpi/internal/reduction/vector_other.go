//go:build !amd64

package reduction

func vectorise(*table) {}
