package dev

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// AddressFile keeps, in a house's folder, the address of its running server.
const AddressFile = "address"

// AddressIn returns the address of the server of the house in dir; empty when
// none is running.
func AddressIn(dir string) string {
	b, err := os.ReadFile(filepath.Join(dir, AddressFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func (h *House) leaveAddress() error {
	if err := os.WriteFile(filepath.Join(h.o.Dir, AddressFile), []byte(h.Server.Address+"\n"), 0o644); err != nil {
		return fmt.Errorf("write down where the server is: %w", err)
	}
	return nil
}

// takeAddress leaves alone what another house over the folder has written.
func (h *House) takeAddress() {
	if h.Server != nil && AddressIn(h.o.Dir) == h.Server.Address {
		os.Remove(filepath.Join(h.o.Dir, AddressFile)) // the next house writes its own
	}
}
