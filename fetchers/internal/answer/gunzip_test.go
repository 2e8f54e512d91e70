package answer_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
)

func zip(t *testing.T, text io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.Copy(z, text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestGunzip(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("<loc>x</loc>", 1000)
	body := zip(t, strings.NewReader(text))
	require.True(t, answer.Zipped(body))
	out, err := answer.Gunzip(body, 1<<20)
	require.NoError(t, err)
	require.Equal(t, text, string(out))

	_, err = answer.Gunzip(body, 1000)
	require.ErrorContains(t, err, "longer than")
	_, err = answer.Gunzip(body[:50], 1<<20)
	require.Error(t, err)
	bomb := zip(t, io.LimitReader(zeros{}, 100<<20))
	out, err = answer.Gunzip(bomb, 8<<20)
	require.ErrorContains(t, err, "longer than 8 MiB")
	require.Len(t, out, 8<<20)
	small := zip(t, io.LimitReader(zeros{}, 20<<20))
	_, err = answer.Gunzip(small, 64<<20)
	require.ErrorContains(t, err, "decompresses")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
