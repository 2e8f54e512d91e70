package worker

import (
	"os"
	"runtime/debug"
)

// memoryAim is several times what a worker needs over well-behaved sources: the
// garbage of hostile ones is collected early instead of doubling the process.
const memoryAim = 384 << 20

// aimForLittleMemory sets the runtime's soft limit, unless GOMEMLIMIT says
// another. See https://go.dev/doc/gc-guide#Memory_limit.
func aimForLittleMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryAim)
	}
}
