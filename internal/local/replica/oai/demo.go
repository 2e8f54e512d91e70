package oai

// Sizes of the demo.
const (
	demoRecords = 2000
	demoSlow    = 100 // milliseconds a page, so that one can see it
)

// Demo is the repository of the demo: 2,000 records in two sets, 14 of them
// deleted, on small slow pages.
func Demo() Config {
	return Config{Seed: 1861, Records: demoRecords, DeletedEvery: 143, Collections: 2, Parts: 1, Page: 20, Fault: MustNamed("slow-pages").Of(demoSlow)}
}
