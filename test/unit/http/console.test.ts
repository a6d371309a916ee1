import { describe, expect, it } from "vitest";
import { wayToAssets } from "../../../src/http/console.ts";

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
