// Package freeport finds a port of this machine for a server that is about to be
// started.
package freeport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports are looked for below the range that systems lend to outgoing connections:
// a server that is killed finds its port free again when it is started anew.
const (
	lowest = 20000
	above  = 32000
)

// Find returns a port of 127.0.0.1 that nobody listens on now. Somebody may be
// quicker to take it: then look again.
func Find(ctx context.Context) (int, error) {
	for range 100 {
		port := lowest + rand.IntN(above-lowest)
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprint("127.0.0.1:", port))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("find a free port on 127.0.0.1: a hundred tries met taken ones")
}
