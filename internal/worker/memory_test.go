package worker

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/config"
)

func files(texts map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range texts {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func TestMemoryLimitOfTheControlGroup(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files       map[string]string
		limit, used int64
	}{
		"version 2, the tightest of those above": {map[string]string{
			"proc/self/cgroup": "0::/vendemmia.slice/worker.service\n", "sys/fs/cgroup/memory.max": "max\n",
			"sys/fs/cgroup/vendemmia.slice/memory.max": "500\n", "sys/fs/cgroup/vendemmia.slice/memory.current": "300\n",
			"sys/fs/cgroup/vendemmia.slice/memory.stat":               "anon 100\ninactive_file 120\n",
			"sys/fs/cgroup/vendemmia.slice/worker.service/memory.max": "900\n",
		}, 500, 180},
		"version 2 in a container": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "700\n", "sys/fs/cgroup/memory.current": "300\n",
		}, 700, 300},
		"version 1": {map[string]string{
			"proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/docker/1\n0::/x\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "600\n", "sys/fs/cgroup/memory/docker/1/memory.usage_in_bytes": "200\n",
			"sys/fs/cgroup/memory/docker/1/memory.stat": "total_inactive_file 50\n",
		}, 600, 150},
		"version 1, seen from within": {map[string]string{
			"proc/self/cgroup": "4:memory:/docker/1\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "600\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "200\n",
		}, 600, 200},
		"no limit": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n", "proc/self/statm": "900 2 1 1 0 5 0\n",
		}, 0, int64(2 * os.Getpagesize())},
	} {
		m := newMemory(files(c.files), config.Memory{Percent: 80})
		require.Equal(t, c.limit, m.limit, name)
		require.Equal(t, c.limit/100*80, m.max, name)
		require.Equal(t, c.used, m.used(), name)
	}
}

func TestMemoryBound(t *testing.T) {
	t.Parallel()
	group := files(map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": strconv.Itoa(500 << 20)})
	m := newMemory(group, config.Memory{Percent: 80})
	require.Empty(t, m.full(400<<20, false))
	require.Equal(t, "memory: 401 MiB used, and above 400 MiB it takes no new item (--memory 80% of the limit of 500 MiB)", m.full(401<<20, false))
	require.NotEmpty(t, m.full(390<<20, true), "only well below it goes on")
	require.Empty(t, m.full(380<<20, true))
	m = newMemory(group, config.Memory{Bytes: 100 << 20})
	require.Contains(t, m.full(101<<20, false), "(--memory 100 MiB)")
	require.Empty(t, newMemory(group, config.Memory{}).full(math.MaxInt64, false), "off")
}

// Not parallel: the limit is of the whole process.
func TestTheRuntimeAimsBelowTheBound(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	t.Setenv("GOMEMLIMIT", "")
	group := files(map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000000000"})
	require.EqualValues(t, 720_000_000, newMemory(group, config.Memory{Percent: 80}).aim())
	require.EqualValues(t, 720_000_000, debug.SetMemoryLimit(-1))
	require.EqualValues(t, 800_000_000, newMemory(group, config.Memory{}).aim())
	require.EqualValues(t, memoryAim, newMemory(os.DirFS(filepath.Join(t.TempDir())), config.Memory{Percent: 80}).aim(), "no limit is known")
	t.Setenv("GOMEMLIMIT", "1GiB")
	require.EqualValues(t, memoryAim, newMemory(group, config.Memory{Percent: 80}).aim(), "somebody said another")
}
