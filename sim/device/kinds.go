package device

// kinds are the models of network interfaces by their names in machine files.
var kinds = map[string]Kind{
	"dma":          dmaKind,
	"queues":       queuesKind,
	"memory-based": memoryBasedKind,
	"windows":      windowsKind,
	"loggp":        logGPKind,
}
