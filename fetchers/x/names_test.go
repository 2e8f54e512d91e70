package x_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

func load(t *testing.T, paths ...string) *campaigns.Loaded {
	t.Helper()
	l, err := campaigns.Load(paths, func(name string) (campaigns.FetcherInfo, error) {
		k, err := fetchers.Builtin().Find(name)
		return campaigns.FetcherInfo{Name: k.Name, Description: k.Description}, err
	})
	require.NoError(t, err)
	require.Empty(t, l.Problems)
	return l
}

func TestTheFilesAreRight(t *testing.T) {
	t.Parallel()
	require.Len(t, load(t, "../../examples/x.yaml", "sample.yaml").Campaigns, 3)
}

// The line of the crontab before is a campaign as it stands: the token was in the
// environment then.
func TestTheFormerName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "twitter.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`campaigns: { old: { schedule: every 1h, fetcher: Twitter, params: {channel: "@Genova"} } }`), 0o600))
	e := load(t, path).Campaigns[0].Campaign.Entries[0]
	require.Equal(t, "x", e.Fetcher)
	require.JSONEq(t, `{"channel":"@Genova","token":"${secret:env:VENDEMMIA_SECRET_X}"}`, string(e.Params))
}

func TestParams(t *testing.T) {
	t.Parallel()
	k, err := fetchers.Builtin().Find("x")
	require.NoError(t, err)
	for more, want := range map[string]string{
		``:                                   "one of user and query",
		`,"user":"a","query":"b"`:            "one of user and query",
		`,"user":"@sixteen_letters_"`:        "user must be a handle",
		`,"user":"a","exclude":["quotes"]`:   "one of replies, retweets",
		`,"query":"a","exclude":["replies"]`: "-is:reply",
		`,"user":"a","backlog":3201`:         "backlog must be",
		`,"user":"a","reads_per_run":5`:      "at least 20",
		`,"user":"a","url":"ftp://x"`:        "url must be",
	} {
		problems := paramspec.Check([]byte(`{"token":"t"`+more+`}`), k.Params)
		require.NotEmpty(t, problems, more)
		require.Contains(t, problems[0].Text, want, more)
	}
	require.Contains(t, paramspec.Check([]byte(`{"user":"a"}`), k.Params)[0].Text, "is required")
}
