package secrets_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/secrets"
)

func getenv(name string) string {
	return map[string]string{"MY_TOKEN": "s3cret", "MY_EMPTY": "", "MY_PW": `p@:/?#&=+ %"w`, "OTHER": "other"}[name]
}

func resolver(t testing.TB) (r secrets.Resolver, dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"key": "from file\n", "blank": "\n", "big": strings.Repeat("x", 65<<10), "bin": "\xff\xfe"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	return secrets.Resolver{Getenv: getenv, Env: []string{"MY_*"}, Dirs: []string{dir}}, dir
}

func TestText(t *testing.T) {
	t.Parallel()
	r, dir := resolver(t)
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "zero")))
	outside := filepath.Join(filepath.Dir(dir), "none")
	for _, c := range []struct{ in, want, wrong string }{
		{in: "no secret", want: "no secret"},
		{in: "Bearer ${secret:env:MY_TOKEN}", want: "Bearer s3cret"},
		{in: "${secret:env:MY_TOKEN}:${secret:file:DIR/key}", want: "s3cret:from file"},
		{in: "${secret:file:key}", want: "from file"},
		{in: "$${secret:env:MY_TOKEN}", want: "${secret:env:MY_TOKEN}"},
		{in: "${secret:env:OTHER}", wrong: "only variables that match MY_* are resolved; rename it, or add OTHER to the setting secret-env (worker --secret-env, VENDEMMIA_SECRET_ENV)"},
		{in: "${secret:env:MY_ABSENT}", wrong: "${secret:env:MY_ABSENT}: the worker's environment has no such variable"},
		{in: "${secret:env:MY_EMPTY}", wrong: "or it is empty"},
		{in: "${secret:file:DIR/none}", wrong: "no such file"},
		{in: "${secret:file:/etc/passwd}", wrong: "only files below DIR are read; put it there, or add /etc to the setting secret-dir (worker --secret-dir"},
		{in: "${secret:file:" + outside + "}", wrong: "only files below"},
		{in: "${secret:file:../none}", wrong: "only files below"},
		{in: "${secret:file:DIR/blank}", wrong: "empty or no text"},
		{in: "${secret:file:DIR/bin}", wrong: "empty or no text"},
		{in: "${secret:file:DIR/big}", wrong: "more than 65536 bytes"},
		{in: "${secret:file:DIR/pipe}", wrong: "is a pipe; only regular files are read"},
		{in: "${secret:file:DIR/zero}", wrong: "escapes"},
		{in: "${secret:vault:x}", wrong: `not from "vault"`},
		{in: "${secret:env:}", wrong: "names nothing"},
		{in: "${secret:env:MY_TOKEN", wrong: "not closed"},
		{in: "${secret:env:MY_TOKEN} and ${secret:env:MY_ABSENT}", wrong: "MY_ABSENT"},
	} {
		t.Run(c.in, func(t *testing.T) {
			t.Parallel()
			got, _, err := r.Text(strings.ReplaceAll(c.in, "DIR", dir))
			if c.wrong != "" {
				require.ErrorContains(t, err, strings.ReplaceAll(c.wrong, "DIR", dir))
				require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
				require.NotContains(t, err.Error(), "s3cret")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// A value means itself wherever it stands in an address.
func TestAnAddressHoldsAnyValue(t *testing.T) {
	t.Parallel()
	r, dir := resolver(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "user"), []byte("b/o@b"), 0o600))
	text, found, err := r.Text("https://${secret:file:" + dir + "/user}:${secret:env:MY_PW}@a.example.org/x/${secret:env:MY_PW}/y?k=${secret:env:MY_PW}&l=1")
	require.NoError(t, err)
	u, err := url.Parse(text)
	require.NoError(t, err, text)
	pw, _ := u.User.Password()
	require.Equal(t, []string{"b/o@b", getenv("MY_PW"), "a.example.org", "/x/" + getenv("MY_PW") + "/y", getenv("MY_PW"), "1"},
		[]string{u.User.Username(), pw, u.Host, u.Path, u.Query().Get("k"), u.Query().Get("l")})
	hidden := found.Mask().Text(text + " " + u.String() + " " + u.Redacted())
	for _, s := range []string{"p@", "p%40", "o@b", "%22w"} {
		require.NotContains(t, hidden, s)
	}
}

func TestJSONReplacesDeepInside(t *testing.T) {
	t.Parallel()
	r, _ := resolver(t)
	in := json.RawMessage(`{"a":["x",{"b":"k=\u0024{secret:env:MY_TOKEN}"}],"n":12345678901234567890,"${secret:env:MY_TOKEN}":1}`)
	out, found, err := r.JSON(in)
	require.NoError(t, err)
	require.Equal(t, secrets.Found{{Ref: "${secret:env:MY_TOKEN}", Value: "s3cret"}}, found)
	require.JSONEq(t, `{"a":["x",{"b":"k=s3cret"}],"n":12345678901234567890,"${secret:env:MY_TOKEN}":1}`, string(out))
	require.Contains(t, string(out), "12345678901234567890", "large numbers stay exact")

	same, found, err := r.JSON(json.RawMessage(`{ "a" : 1 }`))
	require.NoError(t, err)
	require.Empty(t, found)
	require.Equal(t, `{ "a" : 1 }`, string(same), "without references nothing is touched")

	_, _, err = r.JSON(json.RawMessage(`{"a":"${secret:env:MY_TOKEN}"`))
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	_, _, err = r.JSON(json.RawMessage(`{"a":["${secret:env:MY_NO}"]}`))
	require.ErrorContains(t, err, "MY_NO")
}

func TestZeroResolverFindsNothing(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"${secret:env:HOME}", "${secret:file:/etc/hostname}"} {
		_, _, err := secrets.Resolver{}.Text(ref)
		require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "${secret:env:MY_TOKEN}", "${secret:", "${secret:env:${secret:env:MY_TOKEN}}", "}${", "http://$${secret:x@${secret:env:MY_PW}:@"} {
		f.Add(s)
	}
	r := secrets.Resolver{Getenv: getenv, Env: []string{"MY_*"}}
	f.Fuzz(func(t *testing.T, s string) {
		out, _, err := r.Text(s)
		if err == nil && references.Has(s) && out == s {
			t.Fatalf("%q: a reference was neither resolved nor refused", s)
		}
		out, found, err := r.Text(references.Escape(s))
		require.NoError(t, err)
		require.Equal(t, s, out)
		require.Empty(t, found)
	})
}
