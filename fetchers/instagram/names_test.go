package instagram_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

func TestTheFilesAreRight(t *testing.T) {
	t.Parallel()
	l, err := campaigns.Load([]string{"../../examples/instagram.yaml", "sample.yaml"}, func(name string) (campaigns.FetcherInfo, error) {
		k, err := fetchers.Builtin().Find(name)
		return campaigns.FetcherInfo{Name: k.Name, Description: k.Description}, err
	})
	require.NoError(t, err)
	require.Empty(t, l.Problems)
	require.Len(t, l.Campaigns, 3)
	require.Contains(t, string(l.Campaigns[1].Campaign.Entries[0].Params), "secret:env:VENDEMMIA_SECRET_INSTAGRAM", "the former name brings its token")
}

func TestParams(t *testing.T) {
	t.Parallel()
	k, err := fetchers.Builtin().Find("instagram")
	require.NoError(t, err)
	for more, want := range map[string]string{
		``:                             "one of account, hashtag and own",
		`,"account":"a","hashtag":"b"`: "one of account, hashtag and own",
		`,"account":"a b"`:             "account must be a handle",
		`,"hashtag":"a b"`:             "hashtag must be one word",
		`,"own":true,"edge":"top"`:     "edge is for hashtags",
		`,"own":true,"backlog":1001`:   "backlog must be",
		`,"own":true,"version":"25"`:   "version must be",
		`,"own":true,"url":"ftp://x"`:  "url must be",
		`,"own":true,"media":"some"`:   "one of none, images, all",
		`,"own":true,"user":"me"`:      "user must be the number",
	} {
		problems := paramspec.Check([]byte(`{"token":"t","user":"1"`+more+`}`), k.Params)
		require.NotEmpty(t, problems, more)
		require.Contains(t, problems[0].Text, want, more)
	}
}
