import { describe, expect, it } from "vitest";
import { problemWithUpstream } from "../../../src/domain/upstreams.ts";

const deployed = (url: string) => problemWithUpstream(url, { allowPrivate: false });

describe("where a deployment may be told to send requests", () => {
  it.each(["https://api.example.com/v1", "https://api.example.com.", "https://93.184.215.14/"])(
    "%s",
    (url) => {
      expect(deployed(url)).toBeNull();
    },
  );
});

describe("where it may not", () => {
  // Any number of dots at the end names the same host.
  it.each([
    "https://localhost",
    "https://localhost.",
    "https://localhost../",
    "https://service.internal...",
    "https://127.0.0.1",
    "https://127.0.0.1./",
    "https://intranet/",
    "https://intranet../",
    "https://[::1]/",
  ])("%s", (url) => {
    expect(deployed(url)).not.toBeNull();
  });
});
