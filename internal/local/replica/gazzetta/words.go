package gazzetta

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

const (
	rubricaLaws      = "LEGGI ED ALTRI ATTI NORMATIVI"
	rubricaDecisions = "SENTENZE ED ORDINANZE DELLA CORTE"
)

// rubrica is a section of a series: who speaks there, and how.
type rubrica struct {
	name  string
	law   bool
	from  []string
	types []string
}

func rubriche(x serie) []rubrica {
	ministries := []string{"MINISTERO DELLA SALUTE", "MINISTERO DELL'INTERNO", "MINISTERO DELL'AGRICOLTURA, DELLA SOVRANITA' ALIMENTARE E DELLE FORESTE"}
	switch x.seg {
	case "sg":
		return []rubrica{
			{rubricaLaws, true, nil, []string{"LEGGE", "DECRETO-LEGGE", "DECRETO LEGISLATIVO"}},
			{"DECRETI PRESIDENZIALI", false, nil, []string{"DECRETO DEL PRESIDENTE DELLA REPUBBLICA", "DELIBERA DEL CONSIGLIO DEI MINISTRI"}},
			{"DECRETI, DELIBERE E ORDINANZE MINISTERIALI", false, ministries, []string{"DECRETO", "ORDINANZA"}},
			{"DECRETI E DELIBERE DI ALTRE AUTORITÀ", false, []string{"AGENZIA ITALIANA DEL FARMACO", "BANCA D'ITALIA"}, []string{"DETERMINA", "PROVVEDIMENTO"}},
			{"ESTRATTI, SUNTI E COMUNICATI", false, ministries, []string{"COMUNICATO"}},
		}
	case "s1":
		return []rubrica{
			{rubricaDecisions, false, nil, []string{"SENTENZA", "ORDINANZA"}},
			{"ATTI DI PROMOVIMENTO DEL GIUDIZIO DELLA CORTE", false, nil, []string{"ORDINANZA (Atto di promovimento)", "RICORSO PER LEGITTIMITA' COSTITUZIONALE"}},
		}
	case "s2":
		return []rubrica{{"REGOLAMENTI, DECISIONI E DIRETTIVE", false, nil, []string{"REGOLAMENTO", "DECISIONE", "DIRETTIVA"}}}
	case "s3":
		return []rubrica{
			{"REGIONE LIGURIA", false, nil, []string{"LEGGE REGIONALE", "REGOLAMENTO REGIONALE"}},
			{"REGIONE PIEMONTE", false, nil, []string{"LEGGE REGIONALE", "DECRETO DEL PRESIDENTE DELLA GIUNTA"}},
		}
	case "s4":
		return []rubrica{
			{"AMMINISTRAZIONI CENTRALI", false, ministries, []string{"CONCORSO", "DIARIO", "GRADUATORIA"}},
			{"ENTI LOCALI", false, []string{"COMUNE DI GENOVA", "COMUNE DI FORLI'", "PROVINCIA DI LECCE"}, []string{"CONCORSO", "MOBILITA'"}},
		}
	case "s5":
		return []rubrica{
			{"AVVISI E BANDI DI GARA", false, nil, []string{"COMUNE DI SAVONA", "AZIENDA SANITARIA LOCALE 3", "STAZIONE UNICA APPALTANTE"}},
			{"AVVISI ESITI DI GARA", false, nil, []string{"UNIVERSITA' DI PISA", "CITTA' METROPOLITANA"}},
		}
	default:
		return []rubrica{
			{"ANNUNZI COMMERCIALI", false, nil, []string{"CONVOCAZIONI DI ASSEMBLEA", "ALTRI ANNUNZI COMMERCIALI"}},
			{"ANNUNZI GIUDIZIARI", false, nil, []string{"NOTIFICHE PER PUBBLICI PROCLAMI", "EREDITA'"}},
		}
	}
}

func title(rng *rand.Rand) string {
	first := []string{"Modifica del decreto", "Disposizioni urgenti in materia di", "Determinazione del prezzo di", "Riconoscimento della qualita' di", "Approvazione dell'elenco di"}
	second := []string{"società cooperative", "navigazione interna", "medicinali per uso umano", "produzioni tipiche", "opere idrauliche", "personale sanitario"}
	third := []string{"nella provincia di Genova", "per l'anno in corso", "ai sensi dell'articolo 12", "«Città della Scienza»", "in attuazione della direttiva europea"}
	return first[rng.IntN(len(first))] + " " + second[rng.IntN(len(second))] + " " + third[rng.IntN(len(third))] + fmt.Sprintf(" (%d).", rng.IntN(900))
}

func italian(d time.Time) string {
	months := strings.Fields("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre")
	return fmt.Sprintf("%d %s %d", d.Day(), months[d.Month()-1], d.Year())
}

// text is the body of an article as it is set: centred headings, lines of about
// 69 columns, a blank at the end of a paragraph's last line.
func (s *Site) text(a *Act, label string) string {
	s.mu.Lock()
	corrections := s.corrected[a.Code]
	s.mu.Unlock()
	rng := s.rng("text", a.Code, a.Title, label)
	var b strings.Builder
	if label == "1" || label == "" {
		b.WriteString("\n                            IL PRESIDENTE \n\n  Visto l'articolo 87 della Costituzione; \n\n")
	}
	fmt.Fprintf(&b, "                               Art. %s \n\n", label)
	for n := range 2 + rng.IntN(3) {
		words := []string{fmt.Sprintf("%d.", n+1)}
		for range 15 + rng.IntN(30) {
			words = append(words, vocabulary()[rng.IntN(len(vocabulary()))])
		}
		b.WriteString(wrap(words))
	}
	if corrections > 0 {
		fmt.Fprintf(&b, "  Testo corretto dalla redazione (%d). \n", corrections)
	}
	return b.String()
}

func vocabulary() []string {
	return strings.Fields("il Ministro dell'interno e' autorizzato a provvedere entro trenta giorni secondo le modalita' di cui al comma 2 della legge sull'attività «società» nonche' con decreto da pubblicarsi nella Gazzetta Ufficiale & nei bollettini")
}

func wrap(words []string) string {
	var b strings.Builder
	line := " "
	for _, w := range words {
		if len(line)+len(w) > 68 {
			b.WriteString(line + "\n")
			line = w
			continue
		}
		line += " " + w
	}
	return b.String() + line + ". \n"
}
