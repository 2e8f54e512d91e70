package wire

import (
	"bytes"
	"encoding/xml"
	"testing"

	"github.com/stretchr/testify/require"
)

const benchRecords = 500

func perRecord(b *testing.B) {
	b.ReportMetric(float64(b.N*benchRecords)/b.Elapsed().Seconds(), "records/s")
}

type xmlResponse struct {
	XMLName xml.Name `xml:"OAI-PMH"`
	Records []struct {
		Header struct {
			Status     string   `xml:"status,attr"`
			Identifier string   `xml:"identifier"`
			Datestamp  string   `xml:"datestamp"`
			Sets       []string `xml:"setSpec"`
		} `xml:"header"`
		Metadata struct {
			DC struct {
				Fields []struct {
					XMLName xml.Name
					Value   string `xml:",chardata"`
				} `xml:",any"`
			} `xml:"dc"`
		} `xml:"metadata"`
	} `xml:"ListRecords>record"`
}

// BenchmarkRecords sets the reading of a response beside encoding/xml, and
// beside a single pass over its bytes, which nothing can beat.
func BenchmarkRecords(b *testing.B) {
	body := []byte(big(benchRecords))
	b.Run("bytes.Count", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			require.Equal(b, benchRecords, bytes.Count(body, []byte("<record>")))
		}
		perRecord(b)
	})
	b.Run("encoding/xml", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			var r xmlResponse
			require.NoError(b, xml.Unmarshal(body, &r))
			require.Len(b, r.Records, benchRecords)
		}
		perRecord(b)
	})
	b.Run("clean", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			Clean(body, "")
		}
		perRecord(b)
	})
	b.Run("clean, scan", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			r, err := Scan(Clean(body, ""))
			require.NoError(b, err)
			require.Len(b, r.Records, benchRecords)
		}
		perRecord(b)
	})
	b.Run("clean, scan, fields", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			r, err := Scan(Clean(body, ""))
			require.NoError(b, err)
			fields := 0
			for i := range r.Records {
				require.True(b, DublinCore(r.Records[i].Metadata, func(string, []byte) { fields++ }))
			}
			require.Equal(b, 13*benchRecords, fields)
		}
		perRecord(b)
	})
}
