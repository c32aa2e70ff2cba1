package outbound

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fieldlift"
)

// never are addresses that no receiver has, wherever the service runs: links
// without a router, where clouds answer with credentials, groups, nowhere.
var never = prefixes(
	"0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4",
	"100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", "fd00:ec2::/32", // metadata of clouds
	"::/128", "fe80::/10", "fec0::/10", "ff00::/8",
)

// inside are the addresses that are not public.
var inside = prefixes(
	"10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	// Within public IPv6: tunnels, which hold IPv4 addresses of any kind, and what is only for books.
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

// public is all of IPv6 that is given out.
var public = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

func contains(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// allows reports whether an address may be called.
func (o Options) allows(a netip.Addr) bool {
	a = a.Unmap().WithZone("") // ::ffff:10.0.0.1 is 10.0.0.1
	switch {
	case contains(never, a):
		return false
	case !o.Production || contains(o.Allowed, a):
		return true
	}
	return !contains(inside, a) && (a.Is4() || public.Contains(a))
}

// services are ports above the reserved ones at which databases and the like
// listen, which must not be talked to by way of a webhook.
var services = []uint16{
	1433, 1521, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 5900, 5984, 6000, 6379, 6443, 6667,
	8086, 9042, 9092, 9200, 9300, 10250, 11211, 15672, 25565, 27017, 50000,
}

func sensiblePort(port uint16) bool {
	return port == 443 || port >= 1024 && !slices.Contains(services, port)
}

// checkTimeout bounds the look at a name when a webhook is made: what cannot
// be known by then is left to the moment of calling.
const checkTimeout = time.Second

// Check tells what is wrong with a URL, as far as can be known before it is
// called.
func (c *Client) Check(ctx context.Context, text string) []fieldlift.Detail {
	refuse := func(issue, message string) []fieldlift.Detail {
		return []fieldlift.Detail{{Field: "url", Issue: issue, Message: message}}
	}
	u, err := url.Parse(text)
	switch {
	case len(text) > fieldlift.MaxWebhookURL:
		return refuse("max_length", "url must have at most "+strconv.Itoa(fieldlift.MaxWebhookURL)+" characters.")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.ContainsAny(text, " \t\r\n"):
		return refuse("format", "url must be a whole address such as https://example.com/hook.")
	case c.options.Production && u.Scheme != "https":
		return refuse("scheme", "url must begin with https:// in production.")
	case u.User != nil:
		return refuse("credentials", "url must not hold a user name or password; use secret, or the signature, to know who calls.")
	case strings.Contains(text, "#"):
		return refuse("format", "url must not have a fragment (#…), which is never sent.")
	case !isASCII(u.Host):
		return refuse("format", "url must have its host name in ASCII, such as xn--bcher-kva.example.")
	case !validHost(hostOf(u)):
		return refuse("format", "url must have a host name such as example.com, or an address written in full such as 93.184.216.34.")
	}
	port, err := portOf(u)
	switch {
	case err != nil || port == 0:
		return refuse("port", "url has a port that does not exist; they go from 1 to 65535.")
	case c.options.Production && !sensiblePort(port):
		return refuse("port", "url has a port that cannot be called; 443 and most from 1024 on can.")
	case c.reaches(ctx, hostOf(u)):
		return nil
	case c.options.Production:
		return refuse("address", "url leads to an address that is not public, which cannot be called in production.")
	}
	return refuse("address", "url leads to an address at which no receiver can be: link-local, multicast, or a cloud's metadata.")
}

func portOf(u *url.URL) (uint16, error) {
	if u.Port() != "" {
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		return uint16(port), err
	}
	if u.Scheme == "http" {
		return 80, nil
	}
	return 443, nil
}

// reaches reports whether a host has an address that may be called, or none
// that is known.
func (c *Client) reaches(ctx context.Context, host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return c.options.allows(a)
	}
	switch {
	case slices.Contains(metadataHosts, host):
		return false
	case isLocalhost(host):
		return c.options.allows(netip.MustParseAddr("127.0.0.1")) || c.options.allows(netip.IPv6Loopback())
	}
	resolver := c.options.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	found, err := resolver.LookupNetIP(ctx, "ip", host)
	return err != nil || slices.ContainsFunc(found, c.options.allows)
}
