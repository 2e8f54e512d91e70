package replica

// town is a place with the parts of text that grammar wants.
type town struct{ name, at, slug string }

func towns() []town {
	return []town{
		{"Genova", "a Genova", "genova"},
		{"Torino", "a Torino", "torino"},
		{"Milano", "a Milano", "milano"},
		{"Roma", "a Roma", "roma"},
		{"Napoli", "a Napoli", "napoli"},
		{"Palermo", "a Palermo", "palermo"},
		{"Bari", "a Bari", "bari"},
		{"Bologna", "a Bologna", "bologna"},
		{"Firenze", "a Firenze", "firenze"},
		{"Venezia", "a Venezia", "venezia"},
		{"Trieste", "a Trieste", "trieste"},
		{"Trento", "a Trento", "trento"},
		{"Aosta", "ad Aosta", "aosta"},
		{"Ancona", "ad Ancona", "ancona"},
		{"Perugia", "a Perugia", "perugia"},
		{"L’Aquila", "all’Aquila", "laquila"},
		{"Campobasso", "a Campobasso", "campobasso"},
		{"Potenza", "a Potenza", "potenza"},
		{"Catanzaro", "a Catanzaro", "catanzaro"},
		{"Cagliari", "a Cagliari", "cagliari"},
		{"Forlì", "a Forlì", "forli"},
		{"Cefalù", "a Cefalù", "cefalu"},
		{"La Spezia", "alla Spezia", "la-spezia"},
		{"Verona", "a Verona", "verona"},
		{"Lecce", "a Lecce", "lecce"},
		{"Pisa", "a Pisa", "pisa"},
	}
}

// section is a part of a paper with what happens there; %s is "a Genova", %d a
// number.
type section struct {
	name, slug string
	titles     []string
}

func sections() []section {
	return []section{
		{"Politica", "politica", []string{
			"Il consiglio comunale approva il bilancio: %d milioni per le scuole %s",
			"«Più trasparenza»: depositate %d liste per le elezioni %s",
			"La giunta vara il piano casa: %d alloggi popolari %s",
			"Polemica sul nuovo regolamento: %d emendamenti dell’opposizione %s",
		}},
		{"Economia", "economia", []string{
			"Lo stabilimento assume: %d posti entro l’autunno %s",
			"Prezzi degli affitti su del %d%% in un anno %s",
			"Crisi della logistica, %d lavoratori in cassa integrazione %s",
			"Il porto cresce: %d mila container in un trimestre, novità %s",
		}},
		{"Cronaca", "cronaca", []string{
			"Maxi sequestro di merce contraffatta: %d capi nascosti in un garage %s",
			"Incidente sulla tangenziale, traffico in tilt per %d ore %s",
			"Ritrovata un’anfora romana a %d metri dalla stazione %s",
			"Allagamenti dopo il temporale: %d interventi dei vigili del fuoco %s",
		}},
		{"Cultura", "cultura", []string{
			"Riapre il museo civico: %d opere mai esposte, festa %s",
			"Festival del libro, %d autori ospiti %s",
			"La biblioteca digitalizza %d manoscritti: «Così è per tutti», la sfida parte %s",
			"Restaurato l’affresco: %d mesi di lavoro %s",
		}},
		{"Ambiente", "ambiente", []string{
			"Raccolta differenziata al %d%%: record %s",
			"Il fiume torna balneabile dopo %d anni %s",
			"Piantati %d alberi lungo i viali %s",
			"Qualità dell’aria, superati i limiti per %d giorni %s",
		}},
	}
}

func sentences() []string {
	return []string{
		"La decisione è arrivata al termine di una lunga riunione.",
		"«Non ce l’aspettavamo», commentano i residenti, «ma è un passo avanti».",
		"Il costo complessivo sarà di circa 3,5 milioni di €, in parte già stanziati.",
		"Secondo i dati dell’Università, la tendenza è in crescita da più di un decennio.",
		"I lavori dureranno fino a metà giugno; la viabilità cambierà da lunedì.",
		"Il sindaco ha promesso che la città sarà informata «passo per passo».",
		"Restano però i dubbi di chi chiede più chiarezza — e meno annunci.",
		"Per partecipare basta iscriversi sul sito del Comune entro venerdì.",
	}
}

func authors() []string {
	return []string{"Giulia Ferrari", "Marco Però", "Niccolò Bianchi", "Sara D’Amico", "Chiara Sanfilippo", "Redazione"}
}
