package references_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/references"
)

func TestPassword(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://bob:pw@h/x": "pw", "https://bob:p@w:x@h": "p@w:x", "https://:pw@h": "pw", " HTTP://b:%20@h?q": "%20",
		"http://bob@h/": "", "http://h:80/a:b@c": "", "mailto:a:b@h": "", "text http://bob:pw@h": "", "http://bob:@h/": "",
		"http://bob:${secret:env:X}@h/": "", "http://bob:${secret:file:/a/b@c}@h/": "", "http://${secret:file:/a/u}:pw@h/": "pw", "postgres://u:pw@h/db": "pw",
	} {
		require.Equal(t, want, references.Password(address), address)
	}
	require.Equal(t, "http://bob@h/x", references.ReplacePassword("http://bob:pw@h/x", ""))
	require.Equal(t, "http://bob:"+references.PasswordReference+"@h/x", references.AddressWithPassword(json.RawMessage(`{"a":["x",{"url":"http://bob:pw\u0040h/x"}]}`)))
	require.Empty(t, references.AddressWithPassword(json.RawMessage(`{"a":"b@c"}`)))
}
