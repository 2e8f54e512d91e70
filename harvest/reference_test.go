package harvest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

func TestReferences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "${HOME}": "", "{secret:env:A}": "", "a ${secret:env:A} b": "${secret:env:A}", "$${secret:env:A}": "", "$$${secret:env:A}": "",
		"$${secret:env:A}${secret:file:/b}": "${secret:file:/b}", "${secret:env:A": "${secret:env:A", "${secret:": "${secret:",
		"$${secret:${secret:env:A}": "${secret:env:A}", "${secret:${secret:env:A}}": "${secret:${secret:env:A}",
	} {
		require.Equal(t, want, harvest.FirstReference(text), text)
		require.False(t, harvest.HasReference(harvest.EscapeReferences(text)), text)
	}
	require.Equal(t, "$${secret:env:A} $ $$${secret:x", harvest.EscapeReferences("${secret:env:A} $ $${secret:x"))
	require.Equal(t, "${secret:env:A}", harvest.ReferenceIn(json.RawMessage(`{"a":[1,{"b":"\u0024{\u0073ecret:env:A}"}]}`)))
	require.Empty(t, harvest.ReferenceIn(json.RawMessage(`{"${secret:env:A}":"x"}`)))
	out, err := harvest.EscapeReferencesIn(json.RawMessage(`{"n":12345678901234567890,"b":"\u0024{secret:env:A}<"}`))
	require.NoError(t, err)
	require.Equal(t, `{"b":"$${secret:env:A}<","n":12345678901234567890}`, string(out))
}

func FuzzEscapeReferences(f *testing.F) {
	for _, s := range []string{"${secret:env:A}", "$$${secret:", "$${secret:${secret:x}}", "$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		escaped := harvest.EscapeReferences(s)
		require.False(t, harvest.HasReference(escaped))
		require.Equal(t, s, harvest.ReplaceReferences(escaped, func(_ int, ref string) string { panic(ref) }))
	})
}
