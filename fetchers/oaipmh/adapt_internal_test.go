package oaipmh

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
)

// TestAPanicSetsOneRecordAside: an adapter without its hash panics for every
// record, and for none of the others.
func TestAPanicSetsOneRecordAside(t *testing.T) {
	t.Parallel()
	text := []byte(`<OAI-PMH><ListRecords><record><header><identifier>1</identifier></header></record><record><header/></record></ListRecords></OAI-PMH>`)
	r, err := wire.Scan(text)
	require.NoError(t, err)
	a := newAdapter(response{Response: r, text: text})
	a.sum = nil
	docs, rejects := a.documents(r.Records)
	require.Empty(t, docs)
	require.Len(t, rejects, 2)
	require.Equal(t, "1", rejects[0].ID)
	require.Contains(t, rejects[0].Reason, "panic")
	require.Equal(t, "identifier=1", rejects[0].Where)
}
