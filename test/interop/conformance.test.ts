/**
 * The official conformance suite, both lines, against one server: directly and through the router. Every
 * check has to end as it does directly, and to have seen the same texts, but for the listed differences.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { createTenant } from "../fakes/caller.ts";
import { startConformanceServer } from "../fakes/conformance-server.ts";
import { lines, runSuite, type Line, type Results } from "../fakes/conformance-suite.ts";
import { startKeyRelay, type KeyRelay } from "../fakes/key-relay.ts";
import { proxyKey, register } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { bridged } from "../fixtures/conformance/bridged.ts";
import {
  differences,
  directly,
  modes,
  unmet,
  type Mode,
} from "../fixtures/conformance/differences.ts";

const tenant = "conformance";
const runMs = 100_000;
/** It gives answers half a second to come: what a busy machine makes of that is asked once more. */
const impatient = "server-stateless";

let aimock: Aimock;
let router: SharedRouter;
let relay: KeyRelay;

beforeAll(async () => {
  [aimock, router] = await Promise.all([
    startAimock([
      { match: { userMessage: /./ }, response: { content: "Hi there!", usage: usageOf(9, 3) } },
    ]),
    borrowRouter(),
  ]);
  await createTenant(router, tenant, { provider: "openai", baseUrl: aimock.url("openai") });
  relay = await startKeyRelay(router.url, await proxyKey(router, tenant));
});
afterAll(async () => {
  await Promise.all([relay?.stop(), aimock?.stop()]);
});

/** Of what a check has seen, what is the same in every run. */
const lasting = (details: unknown): string =>
  JSON.stringify(details ?? null, (name, value: unknown) =>
    name === "requestState" || name === "headers" ? typeof value : value,
  )
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+[^"\\]*/g, "<url>")
    .replaceAll(/127\.0\.0\.1:\d+/g, "<host>")
    // Event ids end with a number: which of several streams at once the server numbers first is chance.
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}(_\d+)?/g, "<uuid>")
    .replaceAll(/("(io\.modelcontextprotocol\/)?subscriptionId"):\d+/g, "$1:<number>")
    .replaceAll(/req_[\da-z]+/g, "<request>");

type Seen = Map<string, { status: string; details: string }>;

/** By check's id and name; those that come several times are numbered. */
function seenIn(results: Results, scenario: string): Seen {
  const seen: Seen = new Map();
  for (const { id, name, status, details } of results.get(scenario) ?? []) {
    const places = [`${id} ${name}`];
    while (seen.has(places.at(-1) ?? "")) places.push(`${id} ${name} #${places.length + 1}`);
    seen.set(places.at(-1) ?? "", { status, details: lasting(details) });
  }
  return seen;
}

function differing(direct: Results, through: Results, scenario: string): string[] {
  const [before, after] = [seenIn(direct, scenario), seenIn(through, scenario)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((check) => {
    const [was, is] = [before.get(check), after.get(check)];
    if (was?.status !== is?.status)
      return [`${scenario} | ${check}: ${was?.status ?? "absent"} → ${is?.status ?? "absent"}`];
    return was?.details === is?.details ? [] : [`${scenario} | ${check}: other words`];
  });
}

const listed = (line: Line, mode: Mode): string[] =>
  [...differences, ...bridged]
    .filter((row) => row.lines.includes(line) && row.modes.includes(mode))
    .flatMap(({ scenario, checks }) =>
      Object.entries(checks).map(([check, what]) => `${scenario} | ${check}: ${what}`),
    )
    .toSorted();

/** A bridge translates, so other words are no news there, nor are the suite's own notes of what it saw. */
const isNotable = (row: string, mode: Mode): boolean =>
  mode !== "bridged" || !/: (other words|(INFO|absent) → (INFO|absent))$/.test(row);

async function beforeServer<T>(
  eras: Parameters<typeof startConformanceServer>[0],
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = await startConformanceServer(eras);
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

/** `isExpected`: whether the impatient scenario ended as it should. */
async function runPatiently(
  line: Line,
  url: string,
  isExpected: (results: Results) => boolean,
): Promise<Results> {
  const results = await runSuite(line, url);
  if (!results.has(impatient) || isExpected(results)) return results;
  return new Map([...results, ...(await runSuite(line, url, impatient))]);
}

const runDirectly = (line: Line): Promise<Results> =>
  beforeServer("both", (url) =>
    runPatiently(
      line,
      url,
      (results) => results.get(impatient)?.every(({ status }) => status === "SUCCESS") === true,
    ),
  );

/** What is found other than directly. */
function runThrough(line: Line, mode: Mode, direct: Results): Promise<string[]> {
  const other = line === "0.2 at 2026-07-28" ? "legacy" : "modern";
  const found = (through: Results, scenarios: Iterable<string>): string[] =>
    [...new Set(scenarios)]
      .flatMap((scenario) => differing(direct, through, scenario))
      .filter((row) => isNotable(row, mode))
      .toSorted();
  return beforeServer(mode === "bridged" ? other : "both", async (url) => {
    const slug = `${line} ${mode}`.replaceAll(/[^\da-z]+/g, "-");
    const sampling = mode === "bridged" ? "router" : mode;
    const bridge = mode === "bridged" ? "always" : "fallback";
    const entry = { slug, url, sampling, bridge, parking: mode === "bridged" };
    const { pathname } = new URL(await register(router, tenant, entry));
    const expected = listed(line, mode);
    const through = await runPatiently(line, relay.url + pathname, (results) =>
      found(results, [impatient]).every((row) => expected.includes(row)),
    );
    return found(through, [...direct.keys(), ...through.keys()]);
  });
}

/** What the older package asks of 2025-11-25 the newer one asks too: of the older, the modes that do most. */
const modesOf = (line: Line): readonly Mode[] => (line === "0.1" ? ["router", "bridged"] : modes);

describe.each(Object.keys(lines) as Line[])("line %s", (line) => {
  let direct: Results = new Map();
  beforeAll(async () => {
    direct = await runDirectly(line);
  }, runMs);

  it("runs and passes without the router, but for what is listed", () => {
    const statuses = [...direct].flatMap(([scenario, checks]) =>
      checks.map(({ id, name, status }) => ({ scenario, check: `${id} ${name}`, status })),
    );
    expect({
      scenarios: direct.size,
      passed: statuses.filter(({ status }) => status === "SUCCESS").length,
    }).toEqual(directly[line]);
    expect(statuses.filter(({ status }) => status !== "SUCCESS" && status !== "INFO")).toEqual(
      unmet
        .filter((row) => row.line === line)
        .map(({ scenario, check, status }) => ({ scenario, check, status })),
    );
  });

  it.each(modesOf(line))(
    "ends the same through the router, but for what is listed: %s",
    async (mode) => {
      expect(await runThrough(line, mode, direct)).toEqual(listed(line, mode));
    },
    runMs,
  );
});
