package shm

// StoreFence keeps what is written behind it from being seen before what is written
// in front of it.
func StoreFence()

// LoadFence keeps what is read behind it from being read before what is read in front
// of it.
func LoadFence()
