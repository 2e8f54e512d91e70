package secrets_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/secrets"
)

func resolver() secrets.Resolver {
	env := map[string]string{"TOKEN": "s3cret", "EMPTY": ""}
	files := map[string]string{"/run/key": "from file\n", "/run/blank": "\n", "/run/big": strings.Repeat("x", 65<<10), "/run/bin": "\xff\xfe"}
	return secrets.Resolver{
		Getenv: func(name string) string { return env[name] },
		ReadFile: func(name string) ([]byte, error) {
			if text, ok := files[name]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		},
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, want, wrong string
		values          []string
	}{
		{in: "no secret", want: "no secret"},
		{in: "Bearer ${secret:env:TOKEN}", want: "Bearer s3cret", values: []string{"s3cret"}},
		{in: "${secret:env:TOKEN}:${secret:file:/run/key}", want: "s3cret:from file", values: []string{"s3cret", "from file"}},
		{in: "${secret:env:ABSENT}", wrong: "${secret:env:ABSENT}: the worker's environment has no such variable"},
		{in: "${secret:env:EMPTY}", wrong: "or it is empty"},
		{in: "${secret:file:/run/none}", wrong: "file does not exist"},
		{in: "${secret:file:/run/blank}", wrong: "empty or no text"},
		{in: "${secret:file:/run/bin}", wrong: "empty or no text"},
		{in: "${secret:file:/run/big}", wrong: "at most 65536"},
		{in: "${secret:vault:x}", wrong: `not from "vault"`},
		{in: "${secret:env:}", wrong: "names nothing"},
		{in: "${secret:env:TOKEN", wrong: "not closed"},
		{in: "${secret:env:TOKEN} and ${secret:env:ABSENT}", wrong: "ABSENT"},
	} {
		t.Run(c.in, func(t *testing.T) {
			t.Parallel()
			got, values, err := resolver().Text(c.in)
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
				require.NotContains(t, err.Error(), "s3cret")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			require.Equal(t, c.values, values)
		})
	}
}

func TestJSONReplacesDeepInside(t *testing.T) {
	t.Parallel()
	in := json.RawMessage(`{"a":["x",{"b":"k=${secret:env:TOKEN}"}],"n":12345678901234567890,"${secret:env:TOKEN}":1}`)
	out, values, err := resolver().JSON(in)
	require.NoError(t, err)
	require.Equal(t, []string{"s3cret"}, values)
	require.JSONEq(t, `{"a":["x",{"b":"k=s3cret"}],"n":12345678901234567890,"${secret:env:TOKEN}":1}`, string(out))
	require.Contains(t, string(out), "12345678901234567890", "large numbers stay exact")

	same, values, err := resolver().JSON(json.RawMessage(`{ "a" : 1 }`))
	require.NoError(t, err)
	require.Empty(t, values)
	require.Equal(t, `{ "a" : 1 }`, string(same), "without references nothing is touched")

	_, _, err = resolver().JSON(json.RawMessage(`{"a":"${secret:env:TOKEN}"`))
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	_, _, err = resolver().JSON(json.RawMessage(`{"a":["${secret:env:NO}"]}`))
	require.ErrorContains(t, err, "NO")
}

func TestZeroResolverFindsNothing(t *testing.T) {
	t.Parallel()
	_, _, err := secrets.Resolver{}.Text("${secret:env:HOME}")
	require.Error(t, err)
	_, ok := errors.AsType[*harvest.Error](err)
	require.True(t, ok)
}

func TestRedact(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a *** b ***", secrets.Redact("a abcdef b abc", []string{"abc", "", "abcdef"}))
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "${secret:env:TOKEN}", "${secret:", "${secret:env:${secret:env:TOKEN}}", "}${"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, _, err := resolver().Text(s)
		if err == nil && strings.Contains(s, "${secret:") && out == s {
			t.Fatalf("%q: a reference was neither resolved nor refused", s)
		}
	})
}
