/** Console pages find their files behind any path prefix. */
import { describe, expect, it } from "vitest";
import { pageNamedBy, wayToAssets } from "../../../src/http/console.ts";

describe("a page of the console finds its files behind any prefix", () => {
  it.each(["/console", "/console/", "/console/tenants", "/console/t/acme/requests/req_1"])(
    "%s",
    (path) => {
      for (const prefix of ["", "/router", "/a/b"])
        expect(new URL(wayToAssets(path), `https://router.example${prefix}${path}`).pathname).toBe(
          `${prefix}/console/assets/`,
        );
    },
  );
});

describe("an address of the console names the page whose file is fetched ahead", () => {
  it.each([
    ["/console", ""],
    ["/console/tenants", "tenants"],
    ["/router/console/t/acme", "overview"],
    ["/console/t/acme/", "overview"],
    ["/console/t/acme/keys", "keys"],
    ["/console/t/acme/requests", "requests"],
    ["/console/t/acme/requests/req_1", "request"],
  ])("%s", (path, page) => {
    expect(pageNamedBy(path)).toBe(page);
  });
});
