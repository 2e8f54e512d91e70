package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
)

// perlHarvest reads a list by HTTP::OAI and writes every record to a file.
const perlHarvest = `
use strict; use warnings; use HTTP::OAI;
my ($url, $path) = @ARGV;
open(my $out, '>:utf8', $path) or die $!;
my $list = HTTP::OAI::Harvester->new(baseURL => $url)->ListRecords(metadataPrefix => 'oai_dc');
while (my $record = $list->next) {
  print $out $record->identifier, "\n";
  print $out $record->metadata->dom->toString, "\n" if $record->metadata;
}
die $list->message if $list->is_error;
close($out) or die $!;
`

// perlRecords is as many as it harvests in half a minute.
const perlRecords = 20_000

// BenchmarkHarvestPeer has others harvest the same repository: metha (into zstd
// files, no database) where metha-sync is on PATH, and Perl's HTTP::OAI (into one
// file), which Debian has as libhttp-oai-perl.
func BenchmarkHarvestPeer(b *testing.B) {
	records := size(b)
	b.Run("metha", func(b *testing.B) {
		path, err := exec.LookPath("metha-sync")
		if err != nil {
			b.Skip("metha-sync is not on PATH")
		}
		r := repository(b, records)
		peer(b, r, records, func() *exec.Cmd {
			cmd := exec.CommandContext(b.Context(), path, "-format", "oai_dc", r.URL())
			cmd.Env = append(os.Environ(), "METHA_DIR="+b.TempDir())
			return cmd
		})
	})
	b.Run("HTTP-OAI", func(b *testing.B) {
		if out, err := exec.CommandContext(b.Context(), "perl", "-MHTTP::OAI", "-e", "1").CombinedOutput(); err != nil {
			b.Skipf("perl with HTTP::OAI is not there (%v): apt-get install libhttp-oai-perl %.200s", err, out)
		}
		few := min(records, perlRecords)
		r := repository(b, few)
		peer(b, r, few, func() *exec.Cmd {
			return exec.CommandContext(b.Context(), "perl", "-e", perlHarvest, r.URL(), filepath.Join(b.TempDir(), "records.xml"))
		})
	})
}

// peer measures a program from its start to its end, and requires that it was
// given all records.
func peer(b *testing.B, r *oai.Repository, records int, command func() *exec.Cmd) {
	for b.Loop() {
		r.Reset()
		cmd := command()
		began := time.Now()
		out, err := cmd.CombinedOutput()
		took := time.Since(began)
		require.NoError(b, err, string(out))
		require.GreaterOrEqual(b, r.Counts().Records, records)
		b.ReportMetric(float64(records)/took.Seconds(), "records/s")
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			b.ReportMetric(float64(usage.Maxrss)/1024, "peak-MiB")
		}
	}
	b.ReportMetric(0, "ns/op")
}
