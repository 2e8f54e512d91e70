package cli

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
)

// lockedBench knows a repository behind a password, and the password.
func lockedBench(t *testing.T) (b *bench, address string) {
	t.Helper()
	house := oai.New(oai.Config{Records: 30, Clock: time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC)}).Handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "harvester" || password != "s3cr&t pass" {
			http.Error(w, "not with "+r.Header.Get("Authorization")+" "+password, http.StatusUnauthorized)
			return
		}
		house.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	b = emptyBench(t)
	b.set = fetchers.Builtin()
	b.env["VENDEMMIA_SECRET_PW"] = "s3cr&t pass"
	b.file("c.yaml", "campaigns:\n  a:\n    fetcher: oaipmh\n    auth: { basic: { user: harvester, password: \"${secret:env:VENDEMMIA_SECRET_PW}\" } }\n    params: { url: \""+s.URL+oai.Path+"\" }\n")
	return b, s.URL + oai.Path
}

func TestCommandsSignIn(t *testing.T) {
	t.Parallel()
	b, address := lockedBench(t)
	const auth = `{ basic: { user: harvester, password: "${secret:env:VENDEMMIA_SECRET_PW}" } }`
	local := []string{"--allow-network", "127.0.0.0/8"}
	commands := [][]string{
		{"campaigns", "try", "c.yaml", "--limit", "3"},
		{"campaigns", "validate", "c.yaml", "--probe"},
		{"probe", address, "--auth", auth},
		{"fetchers", "try", "oaipmh", "-p", "url=" + address, "--auth", auth, "--limit", "3"},
	}
	for _, args := range commands {
		for _, format := range []string{"text", "json"} {
			r := b.run(append(append(args, local...), "-o", format)...)
			require.Equal(t, program.ExitOK, r.code, "%v: %s %s", args, r.out, r.err)
			require.NotContains(t, r.out+r.err, "s3cr")
		}
	}
	b.env["VENDEMMIA_SECRET_PW"] = "0ld pass"
	for _, args := range commands {
		for _, format := range []string{"text", "json"} {
			r := b.run(append(append(args, local...), "-o", format)...)
			require.NotEqual(t, program.ExitOK, r.code, args)
			require.Contains(t, r.out+r.err, "${secret:env:VENDEMMIA_SECRET_PW}", "%v -o %s", args, format)
			require.NotContains(t, r.out+r.err, "0ld")
			require.NotContains(t, r.out+r.err, "aGFydmVzdGVyOjBs", "not in base64 either")
		}
	}
	delete(b.env, "VENDEMMIA_SECRET_PW")
	for _, args := range commands {
		r := b.run(append(args, local...)...)
		require.Contains(t, r.out+r.err, "VENDEMMIA_SECRET_PW", args)
	}
	r := b.run("probe", address, "--auth", "{ bearer: hunter2 }")
	require.Equal(t, program.ExitUsage, r.code)
	require.NotContains(t, r.err, "hunter2")
}
