package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/testkit/pgtest"
)

// The store on a server: made, checked and named by the command line, and its
// password never printed.
func TestSetupOfAPostgresStore(t *testing.T) {
	t.Parallel()
	address := pgtest.New(t, pgtest.Options{}).Database(t)
	b := emptyBench(t)
	b.env["VENDEMMIA_STORE"] = strings.Replace(address, "postgres@", "postgres:s3cr3t@", 1)
	_, host, _ := strings.Cut(address, "@")
	host, _, _ = strings.Cut(host, "/")
	title := "store t1_testsetupofapostgresstore on " + host + " (postgres)"

	r := b.run("setup", "--migrate")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "there is no store here")
	said := r.err
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"setup", "--migrate", "--create"}, "target   " + title + "\n" + title + " #7f3a: made, with schema version 9\n"},
		{[]string{"setup", "--migrate"}, "target   " + title + "\n" + title + " #7f3a: already at version 9\n"},
		{[]string{"setup", "--check"}, title + " #7f3a: schema version 9"},
		{[]string{"runs", "show", "news"}, title + " #7f3a"},
		{[]string{"config", "-o", "json"}, "postgres:xxxxx@127.0.0.1"},
	} {
		r := b.run(step.args...)
		require.Contains(t, r.out+r.err, step.want, step.args)
		said += r.out + r.err
	}
	require.NotContains(t, said, "s3cr3t")
}
