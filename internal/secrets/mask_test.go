package secrets_test

import (
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/secrets"
)

func found(values ...string) secrets.Found {
	var out secrets.Found
	for i, v := range values {
		out = append(out, secrets.Secret{Ref: "${secret:env:S" + string(rune('0'+i)) + "}", Value: v})
	}
	return out
}

func TestMaskText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values   []string
		in, want string
	}{
		{[]string{"abcd", "", "abcdefgh"}, "a abcdefgh b abcd", "a *** b ***"},
		{[]string{"xabcd", "abcdefgh"}, "<xabcdefgh>", "<***>"}, // no tail of the longer is left
		{[]string{"abab"}, "abababab!", "***!"},
		{[]string{"abc"}, "abc", "abc"}, // any text holds it
		{nil, "abc", "abc"},
	} {
		require.Equal(t, c.want, found(c.values...).Mask().Text(c.in), c.in)
	}
}

// However a value is written, no form of it is left, and the way back is exact.
func TestMaskKnowsEveryForm(t *testing.T) {
	t.Parallel()
	value := `a b/c?d&e="f'<g>é%+;,`
	m := found(value).Mask()
	inJSON, err := json.Marshal(value)
	require.NoError(t, err)
	address := &url.URL{Scheme: "https", User: url.UserPassword("bob", value), Host: "h", Path: "/" + value, RawQuery: url.Values{"k": {value}}.Encode()}
	for _, form := range []string{
		value, url.QueryEscape(value), url.PathEscape(value), string(inJSON), html.EscapeString(value), address.String(), strings.ToLower(url.QueryEscape(value)),
		"$" + value, "$$${secret:env:S0}" + value + "$${secret:env:S0|query}",
	} {
		masked := m.Text(form)
		require.Contains(t, masked, "***")
		for _, part := range []string{"c?d", "c%3", "c%3f", "e=", "d&amp;"} {
			require.NotContains(t, masked, part, form)
		}
		kept := m.KeepText(form)
		require.NotContains(t, kept, "%3", form)
		require.Equal(t, form, m.RestoreText(kept), kept)
	}
}

func TestKeepAndRestoreACheckpoint(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage(`{"known":{"https://h/?k=hush-hush&n=1":12345678901234567890},"next":"https://h/?k=hush-hush","evil":"${secret:env:PATH} ${secret:env:S0}"}`)
	kept := found("hush-hush").Mask().Keep(raw)
	require.NotContains(t, string(kept), "hush-hush")
	require.Contains(t, string(kept), `"https://h/?k=${secret:env:S0}"`)
	rotated := found("new value").Mask().Restore(kept)
	require.JSONEq(t, strings.ReplaceAll(string(raw), "hush-hush", "new value"), string(rotated))
	require.Contains(t, string(rotated), "12345678901234567890")
	var none *secrets.Mask
	require.Equal(t, raw, none.Keep(raw))
	require.Empty(t, found("hush-hush").Mask().Keep(nil))
}

func TestWordsStayInWhatDocumentsSay(t *testing.T) {
	t.Parallel()
	m := found("paolo", "k3y-of-mine").Mask()
	require.Equal(t, "paolo has ${secret:env:S1}", m.Content("paolo has k3y-of-mine"))
	require.Equal(t, "https://h/${secret:env:S0}", m.PutBack("https://h/paolo"))
	require.Equal(t, "${secret:env:S0}", m.Text("x")[:0]+secrets.Secret{Ref: "${secret:env:S0}", Value: "v"}.String())
}

func FuzzKeepText(f *testing.F) {
	f.Add("a ${secret:env:S0} abcd $abcd $$abcd", "abcd")
	f.Add("$${secret:env:S0|$}", "{secret:")
	f.Fuzz(func(t *testing.T, s, value string) {
		m := found(value, "other value").Mask()
		kept := m.KeepText(s)
		require.Equal(t, s, m.RestoreText(kept), kept)
		require.NotContains(t, m.Text(s), "other value")
		if !references.Has(kept) {
			require.NotContains(t, s, "other value")
		}
	})
}
