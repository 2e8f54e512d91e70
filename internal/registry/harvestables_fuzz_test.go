package registry

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever comes: no panic, jobs that can be encoded, and a record that is written back
// says what was written and keeps all else that it said.
func FuzzHarvestables(f *testing.F) {
	for _, seed := range []string{
		`<harvestable><id>1</id><oaiPmh><id>1</id><name>a</name><currentStatus>NEW</currentStatus></oaiPmh></harvestable>`,
		`<harvestable><oaiPmh><message/><storage xsi:type="s"><id>2</id></storage><!-- c --><message>twice</message></oaiPmh></harvestable>`,
		`<harvestables count="1"><harvestableBrief><id>1</id><lastUpdated>2024</lastUpdated></harvestableBrief></harvestables>`,
		`<harvestable><oaiPmh/><oaiPmh><a/></oaiPmh></harvestable>`,
		`<?xml version="1.0" encoding="iso-8859-1"?><harvestable><oaiPmh><scheduleString>0 0 1 1 1</scheduleString><fromDate>2024-01-01T00:00:00+14:00</fromDate></oaiPmh></harvestable>`,
	} {
		f.Add(seed)
	}
	fields := []field{{"currentStatus", "OK"}, {"message", "a & b"}, {"lastHarvestFinished", ""}}
	f.Fuzz(func(t *testing.T, body string) {
		_, _ = readBriefs([]byte(body)) // it does not panic
		r, err := readRecord([]byte(body))
		if err != nil {
			return
		}
		r.id = "1"
		j := r.wished(r.job("UTC"), Known{})
		_, err = j.Encode()
		require.NoError(t, err)
		_, err = j.Body()
		require.NoError(t, err)
		again, err := withFields([]byte(body), fields)
		if err != nil {
			return
		}
		now, err := readRecord(again)
		if err != nil || now.text("currentStatus") != "OK" {
			return // it is refused, see tell
		}
		require.Equal(t, r.kind, now.kind)
		for _, other := range []string{"name", "url", "scheduleString", "enabled", "lastUpdated"} {
			require.Equal(t, r.text(other), now.text(other))
		}
	})
}
