package campaigns_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
)

// BenchmarkLoad reads a file of 10,000 campaigns, and a list of 100,000 rows.
func BenchmarkLoad(b *testing.B) {
	var file, list strings.Builder
	file.WriteString("campaigns:\n")
	for i := range 10_000 {
		fmt.Fprintf(&file, "  c%d:\n    schedule: every 2h\n    fetcher: feed\n    params: { url: \"https://x.example/%d\" }\n", i, i)
	}
	list.WriteString("id,url,max_entries\n")
	for i := range 100_000 {
		fmt.Fprintf(&list, "k%d,https://x.example/%d,5\n", i, i)
	}
	for name, files := range map[string]map[string]string{
		"campaigns": {"main.yaml": file.String()},
		"rows":      {"main.yaml": "campaigns: { a: { fetcher: feed, split: { file: l.csv, key: id } } }\n", "l.csv": list.String()},
	} {
		b.Run(name, func(b *testing.B) {
			dir := folder(b, files)
			for b.Loop() {
				loaded, err := campaigns.Load([]string{dir}, lookup)
				require.NoError(b, err)
				require.Empty(b, loaded.Problems)
			}
		})
	}
}
