package layout

import (
	"slices"
	"strings"
)

// languages are those of the table, in its order. Where several languages know
// a word, the document's counts first, English second, then this order.
const languages = "en de fr es it pt nl pl"

const (
	english = iota
	german
	french
	spanish
	italian
	portuguese
	dutch
	polish
	languageCount
)

// smallWords carry no meaning in a label of several words. They tell the
// language of a document.
const smallWords = `
en: a about after all an and any are as at be been by can do does each field for found full has have if in is it its may must not of on only or our shall shown such than that the their these they this those to under upon we which will with within you your printed
de: als am an auch auf aus bei beim bitte das dass dem den der des die dieser diese durch ein eine einem einen einer eines es fur hat ihr ihre ihren ihrer im in ist ja mit nach nicht nur oder pro sich sie sind uber um und uns unser unsere unter vom wir werden wird wurde zu zum zur zuzgl zuzugl zzgl je
fr: au aux avec ce ces cette chez dans de des du elle en est et il ils je la le les leur lors mais ne nos notre nous ou par pas plus pour qu que qui sa sans ses si son sont sous sur toute tout un une vos votre vous y
es: al como con cual de del desde e el ella en entre es esta este la las le lo los mas mi ni nuestra nuestro o para pero por que se segun ser sin sobre son su sus tu un una usted vuestra y ya
it: a ad agli ai al alla alle anche che chi ci col come con da dal dalla dei degli del della delle dello di e ed essere gli ha i il in la le lo ma nel nella nelle non nostra nostro o ogni per presso se si sono su sua suo sul sulla tra un una uno vi vostra vostro
pt: a ao aos as com como da das de do dos e ela ele em entre essa esse esta este foi mais na nas nao nos nossa nosso o os ou para pela pelo por que se sem ser seu seus sua sob sobre sao um uma voce vosso
nl: aan als bij dan dat de deze die dit door een en er het hun ik in is je maar meer met mijn naar niet nog of om onder ons onze ook op over per te tot u uit uw van voor was wat werd wij wordt worden zijn zonder
pl: a albo ale aby by byc co czy dla do i ich ile im jak jako jest juz lub ma na nad nie o od oraz pan pani po pod przed przez przy sa sie ta tak tego tej ten to tym u w we z za ze zostal
`

func languageNumber(name string) int {
	return slices.Index(strings.Fields(languages), name)
}

// bestFor tells in which language a name is written: the one that knows most
// of its words, English where others know no more.
func (d *dictionary) bestFor(words []string) int {
	var known [languageCount]int
	for i, word := range words {
		alone, pair := d.entries[word], (*headword)(nil)
		if i > 0 && d.inPhrases[word] {
			pair = d.entries[words[i-1]+" "+word]
		}
		for language := range known {
			if alone != nil && alone.known[language] || pair != nil && pair.known[language] {
				known[language]++
			}
		}
	}
	best := english
	for language, count := range known {
		if count > known[best] {
			best = language
		}
	}
	return best
}

// enoughWords is how many words decide the language of a document.
const enoughWords = 3000

// A language is decided when it has this many words of its own, and this much
// more than any other.
const (
	leastVotes = 1
	clearLead  = 1.2
)

// languageOf tells the language of a document from its words: each speaks for
// the languages that know it, the more the fewer they are. It is "" where no
// language is clearly ahead.
func (d *dictionary) languageOf(words []string) string {
	var votes [languageCount]float64
	for _, text := range words[:min(len(words), enoughWords)] {
		for _, word := range split(text) {
			e := d.entries[word]
			if e == nil || len(word) < 2 {
				continue
			}
			count := 0.0
			for _, known := range e.known {
				if known {
					count++
				}
			}
			for language, known := range e.known {
				if known {
					votes[language] += 1 / count
				}
			}
		}
	}
	best := english
	for language, count := range votes {
		if count > votes[best] {
			best = language
		}
	}
	for language, count := range votes {
		if language != best && votes[best] < clearLead*count {
			return ""
		}
	}
	if votes[best] < leastVotes {
		return ""
	}
	return strings.Fields(languages)[best]
}
