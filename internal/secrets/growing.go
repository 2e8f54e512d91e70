package secrets

import "sync/atomic"

// Growing is the Mask of a fetch, which learns tokens while it goes on. The zero Growing
// hides nothing. It is safe for concurrent use.
type Growing struct{ now atomic.Pointer[Mask] }

// NewGrowing begins with what was found in a definition.
func NewGrowing(f Found) *Growing {
	g := &Growing{}
	g.now.Store(f.Mask())
	return g
}

// Mask returns the mask as it is now; nil of a nil Growing.
func (g *Growing) Mask() *Mask {
	if g == nil {
		return nil
	}
	return g.now.Load()
}

// Granted is for visit.Visitor.Granted.
func (g *Growing) Granted(token string) {
	for {
		before := g.now.Load()
		if g.now.CompareAndSwap(before, before.Granted(token)) {
			return
		}
	}
}
