package references_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/references"
)

func TestReferences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "${HOME}": "", "{secret:env:A}": "", "a ${secret:env:A} b": "${secret:env:A}", "$${secret:env:A}": "", "$$${secret:env:A}": "",
		"$${secret:env:A}${secret:file:/b}": "${secret:file:/b}", "${secret:env:A": "${secret:env:A", "${secret:": "${secret:",
		"$${secret:${secret:env:A}": "${secret:env:A}", "${secret:${secret:env:A}}": "${secret:${secret:env:A}",
	} {
		require.Equal(t, want, references.First(text), text)
		require.False(t, references.Has(references.Escape(text)), text)
	}
	require.Equal(t, "$${secret:env:A} $ $$${secret:x", references.Escape("${secret:env:A} $ $${secret:x"))
	require.Equal(t, "${secret:env:A}", references.FirstInJSON(json.RawMessage(`{"a":[1,{"b":"\u0024{\u0073ecret:env:A}"}]}`)))
	require.Empty(t, references.FirstInJSON(json.RawMessage(`{"${secret:env:A}":"x"}`)))
	out, err := references.EscapeJSON(json.RawMessage(`{"n":12345678901234567890,"b":"\u0024{secret:env:A}<"}`))
	require.NoError(t, err)
	require.Equal(t, `{"b":"$${secret:env:A}<","n":12345678901234567890}`, string(out))
}

func FuzzEscapeReferences(f *testing.F) {
	for _, s := range []string{"${secret:env:A}", "$$${secret:", "$${secret:${secret:x}}", "$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		escaped := references.Escape(s)
		require.False(t, references.Has(escaped))
		require.Equal(t, s, references.Replace(escaped, func(_ int, ref string) string { panic(ref) }))
	})
}
