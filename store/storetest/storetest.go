// Package storetest is the conformance suite of a store: what every back end
// must do, written once and run by each back end's own test.
package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/store"
)

// Store is what is tested.
type Store struct{ *store.Store }

// Open opens a store that is closed when the test ends.
func Open(t *testing.T, address string, o store.Options) Store {
	t.Helper()
	s, err := store.Open(t.Context(), address, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return Store{s}
}

// Again opens the same store a second time, as another process would.
func (s Store) Again(t *testing.T) Store {
	t.Helper()
	return Open(t, s.Address(), store.Options{})
}

// Run proves a back end. open makes a new, empty store for each test and
// closes it when the test ends.
func Run(t *testing.T, open func(t *testing.T) Store) {
	groups := map[string]map[string]func(*testing.T, Store){
		"definitions": definitionTests(), "gate": gateTests(), "claims": claimTests(), "pages": pageTests(), "quarantine": quarantineTests(), "outbox": outboxTests(), "passes": passTests(),
		"documents": documentTests(), "items": itemTests(), "reading": readingTests(), "retention": retentionTests(), "departures": departureTests(), "queues": queueTests(), "filters": filterTests(), "spending": spendingTests(), "stats": statsTests(),
	}
	groups["registries"], groups["places"], groups["workers"], groups["attempts"] = registryTests(), placeTests(), workerTests(), attemptTests()
	for group, tests := range groups {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			for name, test := range tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, open(t))
				})
			}
		})
	}
}
