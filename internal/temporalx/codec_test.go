package temporalx_test

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/vendemmia/vendemmia/internal/temporalx"
)

// keyText is a line of a keyring.
func keyText(id string, fill byte) string {
	return id + " " + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(rune(fill)), 32)))
}

func keys(lines ...string) temporalx.Keys {
	return func() (string, error) { return strings.Join(lines, "\n"), nil }
}

// data is the converter of a process with keys; nil: without.
func data(t *testing.T, k temporalx.Keys) converter.DataConverter {
	t.Helper()
	o, err := temporalx.ClientOptions(temporalx.Target{Alone: true, Keys: k})
	require.NoError(t, err)
	return o.DataConverter
}

func TestPayloadsAreEncrypted(t *testing.T) {
	t.Parallel()
	old, now := keyText("2025", 'a'), keyText("2026-05", 'b')
	before := data(t, keys("# of last year", old))
	p, err := before.ToPayload("the text")
	require.NoError(t, err)
	require.NotContains(t, p.String(), "the text")
	require.Equal(t, "2025", string(p.GetMetadata()["encryption-key-id"]))
	again, err := before.ToPayload("the text")
	require.NoError(t, err)
	require.NotEqual(t, p.GetData(), again.GetData(), "a nonce of its own")

	var text string
	after := data(t, keys(now, old))
	require.NoError(t, after.FromPayload(p, &text), "the new key encrypts, the old one still decrypts")
	require.Equal(t, "the text", text)
	p2, err := after.ToPayload("x")
	require.NoError(t, err)
	require.Equal(t, "2026-05", string(p2.GetMetadata()["encryption-key-id"]))

	plain, err := data(t, nil).ToPayload("plain")
	require.NoError(t, err)
	require.Equal(t, `"plain"`, string(plain.GetData()), "without keys: plain text")
	require.NoError(t, after.FromPayload(plain, &text), "what was plain before there were keys")
	require.Equal(t, "plain", text)
}

func TestAKeyThatIsMissingOrAnotherSaysSo(t *testing.T) {
	t.Parallel()
	p, err := data(t, keys(keyText("k1", 'a'))).ToPayload("the text")
	require.NoError(t, err)
	changed := &commonpb.Payload{Metadata: p.GetMetadata(), Data: append([]byte{}, p.GetData()...)}
	changed.Data[len(changed.Data)-1] ^= 1
	for want, c := range map[string]struct {
		p *commonpb.Payload
		k temporalx.Keys
	}{
		"encrypted with key k1, and this process has no keys; set payload-keys": {p, nil},
		"encrypted with key k1, and this process has k2, k3; add that key":      {p, keys(keyText("k2", 'a'), keyText("k3", 'b'))},
		"cannot be decrypted with key k1":                                       {p, keys(keyText("k1", 'z'))},
		"or the payload was changed":                                            {changed, keys(keyText("k1", 'a'))},
	} {
		var text string
		err := data(t, c.k).FromPayload(c.p, &text)
		require.ErrorContains(t, err, want)
		_, ours := errors.AsType[*temporalx.KeyError](err)
		require.True(t, ours)
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	t.Parallel()
	value := base64.StdEncoding.EncodeToString([]byte("a key that is too short"))
	for text, want := range map[string]string{
		"":             "there is no payload key",
		"# nothing":    "there is no payload key",
		value:          "not an id and a key",
		"k1 " + value:  "k1 is not 32 bytes in base64",
		"k/1 " + value: "not an id and a key",
		"a b c":        "not an id and a key",
		keyText("k", 'a') + "," + keyText("k", 'b'): "k is there twice",
	} {
		_, err := temporalx.ClientOptions(temporalx.Target{Alone: true, Keys: keys(text)})
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), value)
	}
	_, err := temporalx.ClientOptions(temporalx.Target{Alone: true, Keys: func() (string, error) { return "", errors.New("no such file") }})
	require.ErrorContains(t, err, "no such file")
}

// A key that came after the process began is read when it is needed, and keys that cannot
// be read again stay.
func TestPayloadKeysAreReadAgain(t *testing.T) {
	t.Parallel()
	text, failing := keyText("k1", 'a'), false
	d := data(t, func() (string, error) {
		if failing {
			return "", errors.New("gone")
		}
		return text, nil
	})
	p, err := data(t, keys(keyText("k2", 'b'))).ToPayload("the text")
	require.NoError(t, err)
	text = keyText("k2", 'b') + "\n" + text
	var got string
	require.Eventually(t, func() bool { return d.FromPayload(p, &got) == nil }, time.Minute, 50*time.Millisecond)
	require.Equal(t, "the text", got)
	failing = true
	require.NoError(t, d.FromPayload(p, &got))
}

func TestCodecServer(t *testing.T) {
	t.Parallel()
	k := keys(keyText("k1", 'a'))
	h, err := temporalx.CodecServer(k, func(origin string) bool { return origin == "http://ui.example.org" })
	require.NoError(t, err)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	p, err := data(t, k).ToPayload("the text")
	require.NoError(t, err)
	body, err := protojson.Marshal(&commonpb.Payloads{Payloads: []*commonpb.Payload{p}})
	require.NoError(t, err)
	ask := func(method, origin string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/decode", strings.NewReader(string(body)))
		require.NoError(t, err)
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close() // it was only read
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp, string(text)
	}
	inside := base64.StdEncoding.EncodeToString([]byte(`"the text"`))
	resp, text := ask(http.MethodPost, "http://ui.example.org")
	require.Contains(t, text, inside)
	require.Equal(t, "http://ui.example.org", resp.Header.Get("Access-Control-Allow-Origin"))
	resp, _ = ask(http.MethodOptions, "http://ui.example.org")
	require.Equal(t, http.StatusNoContent, resp.StatusCode)
	require.Contains(t, resp.Header.Get("Access-Control-Allow-Headers"), "X-Namespace")
	_, text = ask(http.MethodPost, "")
	require.Contains(t, text, inside, "the Temporal CLI has no origin")
	for _, method := range []string{http.MethodPost, http.MethodOptions} {
		resp, text = ask(method, "http://evil.example.org")
		require.Equal(t, http.StatusForbidden, resp.StatusCode)
		require.NotContains(t, text, inside)
		require.Empty(t, resp.Header.Get("Access-Control-Allow-Origin"))
	}
	resp, _ = ask(http.MethodGet, "")
	require.Equal(t, http.StatusNotFound, resp.StatusCode)
}
