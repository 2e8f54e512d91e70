package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

func TestProbeOfWhatMayNotBeAskedSaysSoOnce(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.set = fetchers.Builtin()
	r := b.run("probe", "http://127.0.0.1:9/")
	require.Equal(t, program.ExitError, r.code)
	require.Equal(t, "starter: probe http://127.0.0.1:9/: get http://127.0.0.1:9/: 127.0.0.1 is a loopback address: refused; --allow-network 127.0.0.1/32 allows it\n", r.err)
}
