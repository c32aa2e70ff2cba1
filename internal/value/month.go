package value

import "strings"

// monthNames has the names and abbreviations of each month, folded, in
// English, German, French, Spanish, Italian, Portuguese, Dutch and Polish
// (where months in dates stand in the genitive).
var monthNames = [12]string{
	"january jan januar janner janvier janv enero ene gennaio gen janeiro januari stycznia styczen sty",
	"february feb februar fevrier fevr fev febrero febbraio fevereiro februari lutego luty lut",
	"march mar marz mrz mars marzo marco maart mrt marca marzec",
	"april apr avril avr abril abr aprile kwietnia kwiecien kwi",
	"may mai mayo maggio mag maio mei maja maj",
	"june jun juni juin junio giugno giu junho czerwca czerwiec cze",
	"july jul juli juillet juil julio luglio lug julho lipca lipiec lip",
	"august aug aout agosto ago augustus sierpnia sierpien sie",
	"september sep sept septembre septiembre settembre set setembro wrzesnia wrzesien wrz",
	"october oct oktober okt octobre octubre ottobre ott outubro out pazdziernika pazdziernik paz",
	"november nov novembre noviembre novembro listopada listopad lis",
	"december dec dezember dez decembre diciembre dic dicembre dezembro grudnia grudzien gru",
}

// month reads the name of a month, folded, with or without a full stop.
func month(word string) (int, bool) {
	word = strings.TrimSuffix(word, ".")
	if len(word) < 3 {
		return 0, false
	}
	m, ok := months[word]
	return m, ok
}

// months are the numbers of monthNames.
var months = func() map[string]int {
	numbers := map[string]int{}
	for i, names := range monthNames {
		for name := range strings.FieldsSeq(names) {
			numbers[name] = i + 1
		}
	}
	return numbers
}()

// weekdayNames are the names of days that may stand before a date, folded.
const weekdayNames = " monday mon tuesday tue tues wednesday wed thursday thu thur thurs friday fri saturday sat sunday sun" +
	" montag mo dienstag di mittwoch mi donnerstag do freitag fr samstag sa sonnabend sonntag so" +
	" lundi lun mardi mar mercredi mer jeudi jeu vendredi ven samedi sam dimanche dim" +
	" lunes martes mie miercoles jueves jue viernes vie sabado sab domingo dom" +
	" lunedi martedi mercoledi giovedi gio venerdi sabato domenica" +
	" segunda segunda-feira terca terca-feira quarta quarta-feira quinta quinta-feira sexta sexta-feira" +
	" maandag ma dinsdag woensdag wo donderdag vrijdag vr zaterdag za zondag zo" +
	" poniedzialek wtorek sroda czwartek piatek sobota niedziela "

// weekdays are the names of weekdayNames.
var weekdays = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(weekdayNames) {
		names[name] = true
	}
	return names
}()

func isWeekday(word string) bool { return weekdays[strings.TrimSuffix(word, ".")] }

// IsMonth reports whether a word is the name of a month.
func IsMonth(word string) bool {
	_, ok := month(Fold(strings.TrimRight(word, ",")))
	return ok
}

// IsWeekday reports whether a word is the name of a day of the week.
func IsWeekday(word string) bool { return isWeekday(Fold(strings.TrimRight(word, ","))) }
