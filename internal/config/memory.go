package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Memory says above what a worker takes no new item: a share of its limit, or a size;
// the zero value is no bound.
type Memory struct {
	Percent int   // of the limit of the cgroup
	Bytes   int64 // whatever the limit
}

// ParseMemory reads "80%", "1GiB" or "off".
func ParseMemory(v string) (m Memory, err error) {
	if v == "off" {
		return m, nil
	}
	if digits, ok := strings.CutSuffix(v, "%"); ok {
		if m.Percent, err = strconv.Atoi(digits); err != nil || m.Percent < 10 || m.Percent > 100 {
			return Memory{}, fmt.Errorf("a share from 10%% to 100%%")
		}
		return m, nil
	}
	if m.Bytes, err = size(v); err != nil {
		return Memory{}, fmt.Errorf("write a share like 80%%, a size like 512MiB, or off")
	}
	return m, nil
}
