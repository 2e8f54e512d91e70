// Package source asks sources for commands, with the polite client and without a store.
package source
