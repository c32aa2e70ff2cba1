package outbound

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// metadataHosts are names at which clouds answer with credentials.
var metadataHosts = []string{"metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"}

// hostOf gives the host of a URL in the one form in which hosts are compared.
func hostOf(u *url.URL) string {
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}

// validHost reports whether a host is an address or a name. A name whose end
// is a number is neither: some programs read an address out of it, others not.
func validHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	if len(host) > 253 {
		return false
	}
	labels := strings.Split(host, ".")
	return !slices.ContainsFunc(labels, badLabel) && !isNumber(labels[len(labels)-1])
}

func badLabel(label string) bool {
	return label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") ||
		strings.ContainsFunc(label, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
		})
}

func isNumber(label string) bool {
	if digits, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > '~' })
}

// isLocalhost reports whether a name is this machine's, whatever a resolver
// says of it.
func isLocalhost(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
