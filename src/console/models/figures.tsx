import { duration } from "../format.ts";
import { language } from "../locale.ts";
import { memberTitle } from "../policy-changes.ts";
import type { Model } from "./columns.tsx";

const figure = new Intl.NumberFormat(language, { maximumSignificantDigits: 12 });

function shownOf(value: unknown): string {
  if (value === null || value === undefined) return "unknown";
  if (typeof value === "number") return figure.format(value);
  if (Array.isArray(value) && value.every((each) => typeof each === "string"))
    return value.join(", ") || "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const titleOf = (name: string): string =>
  name.endsWith("UsdPerMTok")
    ? `${memberTitle(name.slice(0, -"UsdPerMTok".length))}, USD per million tokens`
    : memberTitle(name);

export function Figures({ model }: { model: Model }) {
  const { sources, source, measured, available: _, canonicalName, ...figures } = model;
  const from = sources as Partial<Record<string, string>>;
  return (
    <div class="frame" role="region" aria-label="Figures" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Figure</th>
            <th scope="col">Value</th>
            <th scope="col">Comes from</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(figures).map(([name, value]) => (
            <tr key={name}>
              <td title={name}>{titleOf(name)}</td>
              <td>
                <code class="wraps">{shownOf(value)}</code>
              </td>
              <td>{from[name] ?? source}</td>
            </tr>
          ))}
          {canonicalName !== null && (
            <tr>
              <td>Canonical name</td>
              <td>
                <code class="wraps">{canonicalName}</code>
              </td>
              <td>this router, as</td>
            </tr>
          )}
          {measured !== null && (
            <tr>
              <td>Measured</td>
              <td>
                {duration(measured.p50Ms)} (p50), {Math.round(measured.tokensPerSecond)} tokens/s
              </td>
              <td>this router, {measured.samples} calls</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
