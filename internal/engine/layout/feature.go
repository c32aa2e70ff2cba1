package layout

// feature is one piece of evidence for a candidate.
type feature int

// The evidence. What is not said to be a number is 1 or 0.
const (
	labelAsked       feature = iota // share of the field's name that the label has, 0 to 1
	labelShown                      // share of the label that the field's name has, 0 to 1
	labelFull                       // both are nearly whole
	labelBare                       // the label leaves out whose it is
	labelOwner                      // the label tells whose it is only
	labelDescribed                  // the label fits the field's description, not its name
	labelColon                      // the label ends with a colon
	labelContrary                   // the label says the opposite: net for gross, seller for buyer
	labelInside                     // words stand before the label in its segment
	labelFollowed                   // words follow the label in its segment, and the value stands elsewhere
	labelCapital                    // it begins with a capital
	labelProse                      // words of its segment beyond six, logarithm
	labelOverlined                  // a rule stands right above it: it heads a cell
	labelBest                       // no label of the document fits the field better
	labelTwin                       // how many labels of a page fit as well, logarithm
	labelFirst                      // the first of the labels that fit best, of several
	labelLast                       // the last of them
	relationInline                  // the value follows in the label's own segment
	relationRight                   // it is the next segment to the right
	relationFar                     // it stands farther to the right
	relationBelow                   // it stands below
	relationDeep                    // it stands below, with a line between
	relationAbove                   // it stands above
	relationCell                    // it stands in the label's ruled cell
	cellAlone                       // nothing else stands in that cell
	tickNearest                     // of the boxes to tick around the label it is the nearest
	relationProse                   // a sentence tells what it is
	relationField                   // it was filled into a form field of that name
	relationRow                     // the words of its line before it are the label
	rowEarly                        // other amounts follow in its line
	rowGross                        // the line says that tax is in it, or that it is due
	relationNone                    // it has no label
	relationDistance                // between label and value, in line heights, logarithm
	relationAligned                 // the value below begins or ends where the label does
	relationParted                  // a drawn line parts label and value
	relationCrossed                 // another label stands between label and value
	sectionAgrees                   // a title above tells the same party
	sectionDiffers                  // a title above tells another party
	valueWhole                      // the value is all of its segment
	valueLabel                      // the value looks like a label
	valueColon                      // the value is followed by a colon or ends a label
	valueKnown                      // share of its words that are words of labels, 0 to 1
	valueLong                       // words beyond eight, logarithm
	valueShort                      // one or two characters
	valueLines                      // lines beyond the first
	valueDigits                     // share of characters that are digits
	valueTrimmed                    // something was cut off its end
	valueJoined                     // it reaches over a wide gap
	valueClipped                    // it is the part of a line that stands under its label
	valueHalf                       // its label names two things, and it is the one that is asked for
	valueBoth                       // its label names two things, and it is no half
	valueDated                      // a text that has a date in it
	valueMiddle                     // the line above it goes on
	valueOpen                       // it goes on: a bracket is open, or it ends with a small word
	valueCapital                    // its words begin with capitals
	valueMoney                      // it shows a currency
	valueCents                      // it has two decimals
	valuePercent                    // it is a percentage
	valueYear                       // a whole number that may be a year
	valueLarge                      // largest amount of the document
	valueZero                       // the amount is nought
	valueForm                       // it has the form that the field's name asks for, and its check digits are right
	valueFilled                     // it was filled into the document's own form; -1 where that was filled in and it was not
	valueUnderlined                 // it stands right above a rule
	valueSet                        // it is set in another size or weight than its label
	valueSum                        // the sum of two other amounts
	valuePart                       // with another amount it makes a third
	valueSettled                    // what was paid, less the change
	valueRepeated                   // how often it is printed, logarithm
	rangeAgrees                     // first or last of a range, as the field asks
	rangeDiffers                    // the other way round
	extremeAgrees                   // the first or last day of all, as the field asks
	orderFirst                      // first of its type in the document
	orderOnly                       // the only one of its type in the document
	orderLast                       // last of its type in the document
	inTable                         // it is a cell of a table
	inRow                           // its line has several figures
	onFirstPage                     //
	onLastPage                      // of several
	atTop                           // upper fifth of the page
	atBottom                        // lowest eighth of the page
	atLeft                          // left half
	blockFirst                      // first line of its block
	blockSecond                     // second line
	blockLast                       // it ends with the last line of its block
	blockAddress                    // an address stands below it in its block
	pageFirst                       // first line of the document
	pageEarly                       // of the first eight lines
	bigger                          // set larger than the text
	biggest                         // set largest of all
	heavy                           // bold
	headline                        // the document begins with it, larger than all else, and it may be a person's name
	legalForm                       // has the legal form of a company
	domain                          // a web or e-mail address of the document has it, 1 for the most frequent
	mailed                          // the name in an e-mail address has it
	addressLike                     // reads like an address
	addressCut                      // the line after it goes on with the address
	addressHead                     // of several lines the first does not read like an address
	addressTail                     // of several lines the last does not
	headFirst                       // it begins with the first line of the letterhead
	headBegins                      // it begins a run of lines there
	headBelow                       // it begins below a company's name there
	headEnds                        // it ends a run of lines there
	headBroken                      // it has a line of what is no name or address
	noisy                           // how unsure the recogniser was, 0 to 1
	featureCount
)

var featureNames = [featureCount]string{
	"label_asked", "label_shown", "label_full", "label_bare", "label_owner", "label_described", "label_colon", "label_contrary", "label_inside", "label_followed", "label_capital", "label_prose", "label_overlined", "label_best", "label_twin", "label_first", "label_last",
	"relation_inline", "relation_right", "relation_far", "relation_below", "relation_deep", "relation_above", "relation_cell", "cell_alone", "tick_nearest", "relation_prose", "relation_field", "relation_row", "row_early", "row_gross", "relation_none",
	"relation_distance", "relation_aligned", "relation_parted", "relation_crossed", "section_agrees", "section_differs",
	"value_whole", "value_label", "value_colon", "value_known", "value_long", "value_short", "value_lines", "value_digits", "value_trimmed", "value_joined", "value_clipped", "value_half", "value_both", "value_dated", "value_middle", "value_open", "value_capital",
	"value_money", "value_cents", "value_percent", "value_year", "value_large", "value_zero", "value_form", "value_filled", "value_underlined", "value_set", "value_sum", "value_part", "value_settled", "value_repeated",
	"range_agrees", "range_differs", "extreme_agrees", "order_first", "order_only", "order_last", "in_table", "in_row", "on_first_page", "on_last_page",
	"at_top", "at_bottom", "at_left", "block_first", "block_second", "block_last", "block_address", "page_first", "page_early",
	"bigger", "biggest", "heavy", "headline", "legal_form", "domain", "mailed", "address_like", "address_cut", "address_head", "address_tail", "head_first", "head_begins", "head_below", "head_ends", "head_broken", "noisy",
}

// features is the evidence for one candidate.
type features [featureCount]float32
