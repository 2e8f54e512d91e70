package gazzetta

import "slices"

// serie is one of the seven series as the site names it: in paths, in feeds and
// in ELI addresses.
type serie struct {
	slug, code, seg, title string
}

func allSeries() []serie {
	return []serie{
		{"serie_generale", "SG", "sg", "Serie Generale"},
		{"corte_costituzionale", "S1", "s1", "1ª Serie Speciale - Corte Costituzionale"},
		{"unione_europea", "S2", "s2", "2ª Serie Speciale - Unione Europea"},
		{"regioni", "S3", "s3", "3ª Serie Speciale - Regioni"},
		{"concorsi", "S4", "s4", "4ª Serie Speciale - Concorsi ed Esami"},
		{"contratti", "S5", "s5", "5ª Serie Speciale - Contratti Pubblici"},
		{"parte_seconda", "P2", "p2", "Parte Seconda - Foglio delle inserzioni"},
	}
}

// seriesOf finds a series by either of its names; params were checked before.
func seriesOf(name string) serie {
	all := allSeries()
	i := slices.IndexFunc(all, func(s serie) bool { return s.slug == name || s.code == name })
	return all[max(0, i)]
}

type formerName struct{ name, series string }

// formerNames are the class names of the system before, one for each series.
func formerNames() []formerName {
	return []formerName{
		{"GU::SerieGenerale", "serie_generale"},
		{"GU::CorteCostituzionale", "corte_costituzionale"},
		{"GU::UnioneEuropea", "unione_europea"},
		{"GU::Regioni", "regioni"},
		{"GU::concorsi", "concorsi"},
		{"GU::Contratt", "contratti"},
		{"GU::Contratti", "contratti"},
	}
}
