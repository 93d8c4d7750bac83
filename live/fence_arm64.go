package live

// storeFence keeps what is written behind it from being seen before what is written
// in front of it.
func storeFence()

// loadFence keeps what is read behind it from being read before what is read in front
// of it.
func loadFence()
