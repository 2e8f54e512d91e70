package values

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var size = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)$`)

// Size reads 5GiB, 300kB, 12MB, 4096B: bytes.
func Size(text string) (int64, error) {
	text = strings.TrimSpace(text)
	m := size.FindStringSubmatch(text)
	if m == nil {
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			return 0, fmt.Errorf("%s needs a unit, for example %sMiB", text, text)
		}
		return 0, fmt.Errorf("%q is not a size; for example 5GiB or 300kB", text)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || n*sizeUnit(m[2]) >= math.MaxInt64 {
		return 0, fmt.Errorf("%q is too large", text)
	}
	return int64(n * sizeUnit(m[2])), nil
}

func sizeUnit(name string) float64 {
	base, prefix := 1000.0, strings.TrimSuffix(name, "B")
	if p, binary := strings.CutSuffix(prefix, "i"); binary {
		base, prefix = 1024, p
	}
	return math.Pow(base, float64(strings.Index("_KMGT", strings.ToUpper(prefix))*min(1, len(prefix))))
}

// FormatSize writes what Size reads, in the largest unit that is exact.
func FormatSize(n int64) string {
	for _, name := range []string{"TiB", "GiB", "MiB", "KiB", "TB", "GB", "MB", "kB"} {
		if u := int64(sizeUnit(name)); n >= u && n%u == 0 {
			return strconv.FormatInt(n/u, 10) + name
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}

// Rate reads 500/run, 20000/month and, with bytes, 5GiB/day.
func Rate(text string, bytes bool) (n int64, per string, err error) {
	number, per, ok := strings.Cut(strings.TrimSpace(text), "/")
	if !ok || per != "run" && per != "day" && per != "month" {
		return 0, "", fmt.Errorf("%q: so much per run, day or month, for example %s", text, rateExample(bytes))
	}
	if bytes {
		n, err = Size(number)
		return n, per, err
	}
	n, err = strconv.ParseInt(strings.ReplaceAll(strings.TrimSpace(number), "_", ""), 10, 64)
	if err != nil || n < 0 {
		return 0, "", fmt.Errorf("%q: a whole number per run, day or month, for example %s", text, rateExample(bytes))
	}
	return n, per, nil
}

func rateExample(bytes bool) string {
	if bytes {
		return "5GiB/day"
	}
	return "500/run"
}

// Count reads a number (20) or a share (5%, 0.5%): share is from 0 to 1.
func Count(text string) (n int, share float64, err error) {
	text = strings.TrimSpace(text)
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		share, err := Share(text)
		if err != nil {
			return 0, 0, fmt.Errorf("%q is not a share; for example 5%%", percent+"%")
		}
		return 0, share, nil
	}
	n, err = strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, 0, fmt.Errorf("%q: a number or a share, for example 20 or 5%%", text)
	}
	return n, 0, nil
}

// FormatCount writes what Count reads.
func FormatCount(n int, share float64) string {
	if share > 0 {
		return FormatShare(share)
	}
	return strconv.Itoa(n)
}

// Share reads 20% as 0.2; a bare number is refused.
func Share(text string) (float64, error) {
	text = strings.TrimSpace(text)
	percent, ok := strings.CutSuffix(text, "%")
	f, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
	switch {
	case err == nil && !ok:
		return 0, fmt.Errorf("%s needs a unit, for example 20%%", text)
	case err != nil || math.IsNaN(f) || f < 0 || f > 100:
		return 0, fmt.Errorf("%q is not a share; from 0%% to 100%%, for example 20%%", text)
	}
	return math.Round(f*1e6) / 1e8, nil // so that writing and reading it again changes nothing
}

// FormatShare writes what Share reads.
func FormatShare(share float64) string {
	return strconv.FormatFloat(math.Round(share*1e8)/1e6, 'f', -1, 64) + "%"
}
