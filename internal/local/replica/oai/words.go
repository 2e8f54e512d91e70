package oai

// words are what texts are made of, escaped for XML.
type words struct {
	works, themes, places, people, subjects, sentences, publishers, types, languages []string
}

func newWords() words {
	return words{
		works: []string{
			"Storia e memoria", "Lettere inedite", "Catalogo ragionato", "Étude comparée", "Untersuchungen", "Relación verdadera",
			"Atti del convegno", "Appunti &amp; disegni", "Inventario generale", "Über die Anfänge", "Thèse de doctorat", "Mappa topografica",
		},
		themes: []string{
			"della viticoltura", "dei mestieri perduti", "delle città di mare", "dell’università nel Settecento", "della scuola &lt;di notte&gt;",
			"degli archivi parrocchiali", "de la lumière", "der Alpenstraßen", "de los libros españoles", "della musica d’uso",
		},
		places: []string{
			"Genova", "Forlì", "Cefalù", "L’Aquila", "Trieste", "Zürich", "Besançon", "Málaga", "Kraków", "Plzeň", "Λάρισα", "Saint-Étienne",
		},
		people: []string{
			"Ferrari, Giulia", "Però, Marco", "D’Amico, Sara", "Müller, Jürgen", "Lefèvre, Hélène", "Núñez, Íñigo", "Dvořák, Božena",
			"Sørensen, Åse", "Bianchi, Niccolò", "Łukasiewicz, Zofia", "Παπαδόπουλος, Γιώργος", "Sanfilippo, Chiara",
		},
		subjects: []string{
			"storia locale", "Önologie", "bibliothéconomie", "cartografia", "música", "diritto &amp; società", "filología", "restauro",
			"agricoltura", "Philosophie", "didattica", "epigrafia",
		},
		sentences: []string{
			"Il volume raccoglie documenti mai pubblicati, con un’ampia introduzione &amp; note.",
			"L’auteur y étudie les sources conservées à l’étranger, «une à une».",
			"Die Arbeit vergleicht größere Bestände — auch über die Grenze hinaus.",
			"Se ofrece una edición crítica con índices; la transcripción es íntegra.",
			"Con tavole a colori, 3,5 milioni di € di restauri e una bibliografia aggiornata.",
			"A survey of the “lesser” holdings, where n &lt; 100 and every item was seen.",
			"Książka powstała z notatek; część z nich pozostaje nieczytelna.",
			"Si esaminano cause e conseguenze: perché così, e perché là e non altrove.",
		},
		publishers: []string{"Università degli Studi", "Presses de l’École", "Städtische Bücherei", "Editorial Peñalara", "Accademia &amp; Figli"},
		types:      []string{"text", "image", "map", "thesis", "article", "manuscript"},
		languages:  []string{"ita", "fre", "ger", "spa", "eng", "pol"},
	}
}

// dice deals choices out of one number.
type dice uint64

func (d *dice) of(list []string) string { return list[d.below(len(list))] }

// below is a number under n; the state stays good for some ten throws, then it
// is stirred.
func (d *dice) below(n int) int {
	*d = dice(mix(uint64(*d)))
	return int(uint64(*d) >> 33 % uint64(n))
}
