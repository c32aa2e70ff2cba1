package api

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSnippets runs what docs/WEBHOOKS.md tells receivers to do, in those
// languages that are to be had here, on the signature vectors.
func TestSnippets(t *testing.T) {
	text, err := os.ReadFile("../docs/WEBHOOKS.md")
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := filepath.Abs("testdata/webhook_signatures.json")
	if err != nil {
		t.Fatal(err)
	}
	for language, one := range map[string]struct {
		program string
		before  string
		after   string
	}{
		"python": {program: "python3", after: `
import json, sys
for v in json.load(open(sys.argv[1], encoding="utf-8")):
    h = {"webhook-id": v["webhook_id"], "webhook-timestamp": v["webhook_timestamp"], "webhook-signature": v["webhook_signature"],
         "x-service-signature": v["x_service_signature"]}
    now, body = (lambda: int(v["webhook_timestamp"])), v["body"].encode()
    for secret in [v["signing_secret"], v["previous_secret"]]:
        assert not secret or verify(secret, h, body, now), v["name"]
    assert verify_simple(v["signing_secret"], h, body), v["name"]
    assert not verify(v["signing_secret"], h, body + b"x", now) and not verify_simple(v["signing_secret"], h, body + b"x")
    assert not verify(v["signing_secret"], h, body, lambda: int(v["webhook_timestamp"]) + 301)
    for name in h:
        for odd in [None, "", "x", "-1", "1e400", "٣", "9" * 5000, "v1,", "\udc80é", "é" * 64]:
            other = {k: x for k, x in {**h, name: odd}.items() if x is not None}
            assert verify(v["signing_secret"], other, body, now) == (name == "x-service-signature"), (name, odd)
            assert verify_simple(v["signing_secret"], other, body) == (name != "x-service-signature"), (name, odd)
`},
		"js": {program: "node", after: `
const assert = require("node:assert");
for (const v of JSON.parse(require("node:fs").readFileSync(process.argv[2], "utf8"))) {
  const h = { "webhook-id": v.webhook_id, "webhook-timestamp": v.webhook_timestamp, "webhook-signature": v.webhook_signature,
    "x-service-signature": v.x_service_signature };
  const now = Number(v.webhook_timestamp) * 1000, body = Buffer.from(v.body);
  for (const secret of [v.signing_secret, v.previous_secret]) assert(!secret || verify(secret, h, body, now), v.name);
  assert(verifySimple(v.signing_secret, h, body), v.name);
  const changed = Buffer.concat([body, Buffer.from("x")]);
  assert(!verify(v.signing_secret, h, changed, now) && !verifySimple(v.signing_secret, h, changed));
  assert(!verify(v.signing_secret, h, body, now + 301000));
  for (const name of Object.keys(h)) {
    for (const odd of [undefined, "", "x", "-1", "1e400", "٣", "9".repeat(5000), "v1,", "é", "é".repeat(64), "é".repeat(47)]) {
      const other = { ...h, [name]: odd };
      assert.equal(verify(v.signing_secret, other, body, now), name === "x-service-signature");
      assert.equal(verifySimple(v.signing_secret, other, body), name !== "x-service-signature");
    }
  }
}
`},
		"php": {program: "php", before: "<?php\n", after: `
foreach (json_decode(file_get_contents($argv[1]), true) as $v) {
    $h = ['webhook-id' => $v['webhook_id'], 'webhook-timestamp' => $v['webhook_timestamp'], 'webhook-signature' => $v['webhook_signature']];
    $now = (int) $v['webhook_timestamp'];
    foreach ([$v['signing_secret'], $v['previous_secret']] as $secret) {
        if ($secret !== '' && !verify($secret, $h, $v['body'], $now)) exit(1);
    }
    if (verify($v['signing_secret'], $h, $v['body'] . 'x', $now) || verify($v['signing_secret'], $h, $v['body'], $now + 301)) exit(2);
    foreach (array_keys($h) as $name) {
        foreach ([null, '', 'x', '-1', '1e400', str_repeat('9', 5000), 'v1,', "\xff"] as $odd) {
            if (verify($v['signing_secret'], array_filter([$name => $odd] + $h, 'is_string'), $v['body'], $now)) exit(3);
        }
    }
}
`},
	} {
		t.Run(language, func(t *testing.T) {
			program, err := exec.LookPath(one.program)
			if err != nil {
				t.Skip(err)
			}
			snippet := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(string(text))
			if snippet == nil {
				t.Fatal("there is no snippet")
			}
			file := filepath.Join(t.TempDir(), "snippet."+language)
			if err := os.WriteFile(file, []byte(one.before+snippet[1]+one.after), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), program, file, vectors).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	t.Run("openssl", func(t *testing.T) {
		if _, err := exec.LookPath("openssl"); err != nil {
			t.Skip(err)
		}
		line := regexp.MustCompile(`(?m)^SIGNATURE=.*$`).FindString(string(text))
		for _, v := range signatureVectors(t) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "body.json"), []byte(v.Body), 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.CommandContext(t.Context(), "sh", "-c", line+"; echo $SIGNATURE")
			command.Dir, command.Env = dir, append(os.Environ(), "SECRET="+v.Secret)
			if out, err := command.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != v.Service {
				t.Errorf("%s: %s, %v", v.Name, out, err)
			}
		}
	})
}
