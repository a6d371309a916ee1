/** Where the router may be told to send requests: every spelling of a private address that we know. */
import { describe, expect, it } from "vitest";
import { problemWithEndpoint, problemWithUpstream } from "../../../src/domain/servers/upstreams.ts";

const problem = (url: string, allowPrivate = false) => problemWithUpstream(url, { allowPrivate });

describe("a public address", () => {
  it.each([
    "https://mcp.example.com/mcp",
    "https://mcp.example.com:8443/a/b",
    "https://mcp.example.com./mcp",
    "https://8.8.8.8/mcp",
    "https://[2606:4700:4700::1111]/mcp",
    "https://[2001:4860:4860::8888]/mcp",
    "https://192.0.78.9/mcp",
    "https://172.15.0.1/",
    "https://172.32.0.1/",
    "https://100.63.255.255/",
    "https://100.128.0.1/",
    "https://localhost.example.com/",
    "https://xn--bcher-kva.example/",
  ])("may be called: %s", (url) => {
    expect(problem(url)).toBeNull();
  });
});

describe("a private address", () => {
  it.each([
    // Loopback, in every spelling that a parser takes.
    "https://127.0.0.1/",
    "https://127.1/",
    "https://127.0.0.1./",
    "https://127.0.0.1../",
    "https://0x7f.1../",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://017700000001/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://127.0.1/",
    "https://%31%32%37.0.0.1/",
    "https://127。0。0。1/",
    "https://①②⑦.0.0.1/",
    "https://0/",
    "https://0.0.0.0/",
    "https://0.1.2.3/",
    // Private networks, shared address space, link-local with the clouds' metadata.
    "https://10.0.0.1/",
    "https://10.255.255.255/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.1.1/",
    "https://100.64.0.1/",
    "https://100.100.100.200/",
    "https://100.127.255.255/",
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/latest/meta-data/",
    "https://0xa9fea9fe/",
    "https://168.63.129.16/",
    // Reserved, benchmarks, documentation, multicast, broadcast.
    "https://192.0.0.192/",
    "https://192.0.2.1/",
    "https://192.88.99.1/",
    "https://198.18.0.1/",
    "https://198.19.255.255/",
    "https://198.51.100.1/",
    "https://203.0.113.1/",
    "https://224.0.0.1/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    // IPv6: loopback, unspecified, link-local, unique local, mapped, compatible, translated, tunnelled.
    "https://[::1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::]/",
    "https://[fe80::1]/",
    "https://[fc00::1]/",
    "https://[fd00:ec2::254]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::ffff:169.254.169.254]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b:1::a00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[2001::1]/",
    "https://[2001:0:7f00:1::]/",
    "https://[2001:db8::1]/",
    "https://[3fff::1]/",
    "https://[ff02::1]/",
    "https://[100::1]/",
    // Names that lead inside.
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://localhost../",
    "https://a.localhost/",
    "https://localhost.localdomain/",
    "https://localhost4.localdomain4/",
    "https://localhost6.localdomain6/",
    "https://kubernetes.default.svc/",
    "https://vault.service.consul/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://metadata.google.internal./",
    "https://router.lan/",
    "https://nas.home.arpa/",
    "https://wiki.corp/",
    "https://intranet/",
    "https://instance-data/",
    "https://metadata/",
  ])("is not called: %s", (url) => {
    expect(problem(url)).toMatch(/\S/);
  });

  it.each(["http://127.0.0.1:3000/mcp", "http://localhost/mcp", "https://[::1]/mcp"])(
    "is called where the operator allows it: %s",
    (url) => {
      expect(problem(url)).not.toBeNull();
      expect(problem(url, true)).toBeNull();
    },
  );
});

describe("what is no address to call", () => {
  it.each([
    "",
    "mcp.example.com/mcp",
    "//mcp.example.com/mcp",
    "http://mcp.example.com/mcp",
    "ftp://mcp.example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,x",
    "https://user@mcp.example.com/",
    "https://user:pass@mcp.example.com/",
    "https://:pass@mcp.example.com/",
    "https://mcp.example.com@127.0.0.1/",
    "https://mcp.example.com#@127.0.0.1/",
    "https://mcp.example.com/#",
    "https://mcp.example.com/#x",
    "https://mcp.example.com/ x",
    " https://mcp.example.com/",
    "https://mcp.example.com/\n",
    "https://mcp.exa\tmple.com/",
    "https:\\\\mcp.example.com\\mcp",
    "https://mcp.example.com\\@127.0.0.1/",
    "https://mcp.example.com:99999/",
    "https://[fe80::1%25eth0]/",
    "https://",
  ])("is refused: %j", (url) => {
    expect(problem(url)).toMatch(/\S/);
    expect(problemWithEndpoint(url, { allowPrivate: false })).toMatch(/\S/);
  });

  it("holds for the same reasons where private addresses are allowed", () => {
    for (const url of ["ftp://x/", "https://u:p@example.com/", "https://example.com/#x", "x"])
      expect(problem(url, true)).toMatch(/\S/);
  });

  it("has a query only as an endpoint of OAuth", () => {
    const url = "https://login.example.com/authorize?tenant=1";
    expect(problem(url)).toMatch(/query/);
    expect(problemWithEndpoint(url, { allowPrivate: false })).toBeNull();
  });

  it("is explained in words that repeat no secret", () => {
    for (const url of ["https://u:s3cr3t@example.com/", "https://example.com/?key=s3cr3t"])
      expect(problem(url)).not.toContain("s3cr3t");
  });
});

describe("the router's own origins", () => {
  const own = (url: string, ...ownOrigins: string[]) =>
    problemWithUpstream(url, { allowPrivate: true, ownOrigins });

  it.each([
    ["https://router.example.com/mcp/acme/a", "https://router.example.com"],
    ["https://ROUTER.example.com./mcp/acme/a", "https://router.example.com"],
    ["https://router.example.com:443/v1/sampling", "https://router.example.com"],
    // A proxy that ends TLS calls the router over http.
    ["https://router.example.com/mcp/acme/a", "http://router.example.com"],
    ["http://router.example.com/mcp/acme/a", "https://router.example.com"],
    ["http://localhost:8787/mcp/acme/a", "http://127.0.0.1:8787"],
    ["http://127.0.0.1:8787/mcp/acme/a", "http://localhost:8787"],
    ["http://127.1.2.3:8787/mcp/acme/a", "http://localhost:8787"],
    ["http://2130706433:8787/mcp/acme/a", "http://localhost:8787"],
    ["http://[::1]:8787/mcp/acme/a", "http://localhost:8787"],
    ["http://[::ffff:127.0.0.1]:8787/mcp/acme/a", "http://localhost:8787"],
    ["http://0.0.0.0:8787/mcp/acme/a", "http://127.0.0.1:8787"],
    ["http://any.localhost:8787/mcp/acme/a", "http://127.0.0.1:8787"],
  ])("are no upstreams: %s of %s", (url, origin) => {
    expect(own(url, "https://other.example.com", origin)).toBe("It leads back to this router.");
  });

  it.each([
    ["https://mcp.example.com/mcp", "https://router.example.com"],
    ["https://router.example.com:8443/mcp", "https://router.example.com"],
    ["http://127.0.0.1:8788/mcp", "http://127.0.0.1:8787"],
  ])("differ from other hosts and ports: %s of %s", (url, origin) => {
    expect(own(url, origin)).toBeNull();
  });
});
