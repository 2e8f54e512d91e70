package campaigns_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/visit"
)

const password = `"${secret:env:VENDEMMIA_SECRET_PW}"`

func TestSignInIsBoundToTheAddressesOfTheFiles(t *testing.T) {
	t.Parallel()
	basic := &visit.Basic{User: "bob", Password: "${secret:env:VENDEMMIA_SECRET_PW}"}
	for text, to := range map[string]string{
		`{ fetcher: feed, params: { url: "https://A.example:443/x" } }`:                                                                                            "https://a.example",
		`{ fetcher: feed, params: { url: "https://u:${secret:env:VENDEMMIA_SECRET_X}@a.example/?k=${secret:env:B}" } }`:                                            "https://a.example",
		`{ fetcher: feed, split: true, params: [{ url: "http://b.example:81/1" }, { url: "http://b.example:81/2" }] }`:                                             "http://b.example:81",
		`{ fetcher: feed, split: { file: l.csv }, auth: { to: ["https://d.example/", "https://C.example:443"] } }`:                                                 "https://c.example https://d.example",
		`{ fetcher: oaipmh, split: { ask: sets }, params: { url: "https://a.example/oai" } }`:                                                                      "https://a.example",
		`{ fetchers: [{ fetcher: feed, params: { url: "https://a.example/" } }, { fetcher: x, auth: null, params: { account: "@a", token: ` + password + ` } }] }`: "https://a.example",
	} {
		l := load(t, map[string]string{
			"_defaults.yaml": "defaults: { auth: { basic: { user: bob, password: " + password + " } } }\n",
			"main.yaml":      "campaigns:\n  a: " + text + "\n",
			"l.csv":          "url\nhttps://d.example/1\nhttps://c.example/\nhttps://d.example/2\n",
		})
		require.Empty(t, l.Problems, text)
		c := l.Campaigns[0].Campaign
		require.Equal(t, &visit.Auth{Basic: basic, To: strings.Fields(to)}, c.Entries[0].Auth, text)
		out, err := campaigns.Export(c)
		require.NoError(t, err)
		l = load(t, map[string]string{"main.yaml": string(out), "l.csv": "url\nhttps://d.example/1\nhttps://c.example/\nhttps://d.example/2\n"})
		require.Empty(t, l.Problems, string(out))
		require.Equal(t, c.Entries[0].Auth, l.Campaigns[0].Campaign.Entries[0].Auth)
		if len(c.Entries) > 1 {
			require.Nil(t, c.Entries[1].Auth, "a key with nothing behind it takes the weaker one away")
		}
	}
}

func TestTheStrongestWayToSignIn(t *testing.T) {
	t.Parallel()
	l := load(t, map[string]string{
		"_defaults.yaml": "defaults: { auth: { basic: { user: bob, password: " + password + " } } }\n",
		"main.yaml": "campaigns:\n  a:\n    auth: { bearer: " + password + " }\n" + source +
			"  b:\n    auth: { basic: { user: eve } }\n" + source,
	})
	require.Empty(t, l.Problems)
	require.Equal(t, &visit.Auth{Bearer: "${secret:env:VENDEMMIA_SECRET_PW}", To: []string{"https://a.example"}}, l.Campaigns[0].Campaign.Entries[0].Auth)
	require.Equal(t, &visit.Basic{User: "eve", Password: "${secret:env:VENDEMMIA_SECRET_PW}"}, l.Campaigns[1].Campaign.Entries[0].Auth.Basic)
}

func TestSignInsThatAreRefused(t *testing.T) {
	t.Parallel()
	for auth, want := range map[string]string{
		`{ bearer: hunter2 }`:                                                            "a secret has no place in the file",
		`{ basic: { user: bob, password: hunter2 } }`:                                    "a secret has no place in the file",
		`{ basic: { password: ` + password + ` } }`:                                      "basic needs user",
		`{ header: { value: ` + password + ` } }`:                                        "header needs name",
		`{ header: { name: Host, value: ` + password + ` } }`:                            "is not a header to sign in with",
		`{ header: { name: "X: y", value: ` + password + ` } }`:                          "is not a header to sign in with",
		`{ bearer: ` + password + `, basic: { user: bob, password: ` + password + ` } }`: "needs one of basic, bearer, header and oauth2, and has",
		`{ basik: {} }`: "did you mean basic?",
		`{ oauth2: { access_token_url: x, client_id: a, client_secret: ` + password + ` } }`:                                        "not an address",
		`{ oauth2: { access_token_url: "https://t.example/", client_id: a, client_secret: ` + password + `, endpoint_params: 3 } }`: "not a map of texts",
		`{ bearer: "${secret:vault:x}" }`: "a secret is ${secret:env:NAME}",
	} {
		l := load(t, map[string]string{"main.yaml": "campaigns:\n  a:\n    auth: " + auth + "\n" + source})
		require.NotEmpty(t, l.Problems, auth)
		require.Contains(t, l.Problems[0].Text, want, auth)
		require.NotContains(t, l.Problems[0].Text, "hunter2")
	}
	for text, want := range map[string]string{
		`fetcher: weather, params: { place: Genova }`:                   "has no address in its params",
		`fetcher: feed, params: { url: "https://${secret:env:HOST}/" }`: "is a secret",
		`fetcher: feed, split: { file: list.csv }`:                      "which does not decide where a secret is sent",
		`fetcher: feed, split: true, params: [` + many(21) + `]`:        "would be sent to 21 hosts",
	} {
		l := load(t, map[string]string{
			"main.yaml": "campaigns:\n  a: { auth: { bearer: " + password + " }, " + text + " }\n",
			"list.csv":  "url\nhttps://a.example/\n",
		})
		require.Len(t, l.Problems, 1, text)
		require.Contains(t, l.Problems[0].Text, want)
	}
}

func many(n int) (rows string) {
	for i := range n {
		rows += "{ url: https://h" + strings.Repeat("x", i) + ".example/ },"
	}
	return rows
}
