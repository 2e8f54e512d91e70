package replica

// What the demo shows of the outcomes: one feed that is read in part, one that
// asks for rest. All others are healthy, and unchanged when asked again.
const (
	DemoPartial   = "0041"
	DemoThrottled = "0129"
)

// Sizes of the demo.
const (
	demoFeeds      = 130
	demoHosts      = 19
	demoUnreadable = 3
	// demoRest outlasts the two hours between two runs, so that the run ends
	// instead of waiting.
	demoRest = 3 * 60 * 60
)

// Demo is the house of the demo: 130 feeds over 19 hosts with 2,418 readable
// entries. The feed that asks for rest is alone on its host, for it is the host
// that rests.
func Demo() Config {
	return Config{
		Seed: 2026, Feeds: demoFeeds, Hosts: demoHosts, Shape: demoShape,
		Faults: map[string]Fault{
			DemoPartial:   Broken(demoUnreadable, BadDate, NoID),
			DemoThrottled: ThrottleSeconds(429, demoRest),
		},
	}
}

// demoShape mixes formats as the wild does: mostly RSS 2.0, in UTF-8.
func demoShape(i int) Shape {
	mix := []Format{RSS2, RSS2, RSS2, Atom1, RSS2, RSS1, RSS2, JSON1, RSS2, RSS092, Atom1, RSS2, RSS091}
	s := Shape{Format: mix[i%len(mix)], Host: i % (demoHosts - 1), Entries: 18, Weak: i%4 == 0}
	if i%10 == 3 {
		s.Charset = []Charset{Latin1, Windows1252, UTF16LE}[i/10%3]
	}
	if i < 98 { // 97 feeds of 19, 31 of 18 and the partial one's 17: 2,418
		s.Entries = 19
	}
	switch i {
	case 41:
		s.Format, s.Charset, s.Entries = RSS2, UTF8, 20
	case demoFeeds - 1:
		s.Host = demoHosts - 1
	}
	return s
}
