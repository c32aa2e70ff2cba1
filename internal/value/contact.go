package value

import (
	"net/url"
	"regexp"
	"strings"
)

var emailShape = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._%+'-]{0,62}[A-Za-z0-9_%+-])?@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,6}[A-Za-z]{2,24}$`)

// Email reads an e-mail address, as printed but for brackets and mailto.
func Email(text string) (string, bool) {
	s := strings.Trim(strings.TrimSpace(text), "<>()[].,;:")
	s = strings.TrimPrefix(s, "mailto:")
	if len(s) > 254 || !strings.Contains(s, "@") || strings.Contains(s, "..") {
		return "", false
	}
	return s, emailShape.MatchString(s)
}

var hostShape = regexp.MustCompile(`^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,6}[A-Za-z]{2,24}(?::\d{1,5})?(?:[/?#]\S*)?$`)

// URL reads an address of the web: with http or https, or a bare name that
// begins with www or has a path or a well-known end. It is given as printed.
func URL(text string) (string, bool) {
	s := strings.Trim(strings.TrimSpace(text), "<>()[].,;")
	if len(s) > 2000 || strings.ContainsAny(s, " \t\n@\"<>") {
		return "", false
	}
	lower := strings.ToLower(s)
	if strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
		u, err := url.Parse(s)
		return s, err == nil && u.Host != ""
	}
	if !strings.Contains(s, ".") || !hostShape.MatchString(s) { // most words need no closer look
		return "", false
	}
	host, _, path := strings.Cut(lower, "/")
	if !path && !strings.HasPrefix(host, "www.") {
		switch host[strings.LastIndexByte(host, '.')+1:] {
		case "com", "org", "net", "edu", "gov", "io", "eu", "de", "fr", "es", "it", "pt", "nl", "pl", "at", "ch", "be", "uk", "ie", "us", "ca", "au":
		default:
			return "", false
		}
	}
	return s, true
}

// Phone reads a telephone number loosely: 7 to 15 digits with the marks that
// stand between them. It gives the digits, with a leading + if there is one.
func Phone(text string) (string, bool) {
	s := spaces(text)
	if len(s) > 40 {
		return "", false
	}
	if i := strings.IndexAny(s, "xX"); i > 0 { // an extension is not part of the number
		s = strings.TrimRight(strings.TrimSuffix(s[:i], "e"), " ,;")
	}
	var b strings.Builder
	for i, r := range strings.Replace(s, "(0)", "", 1) {
		switch {
		case r >= '0' && r <= '9', r == '+' && i == 0:
			b.WriteRune(r)
		case !strings.ContainsRune(" -./()–", r):
			return "", false
		}
	}
	n := len(strings.TrimPrefix(b.String(), "+"))
	return b.String(), n >= 7 && n <= 15
}
