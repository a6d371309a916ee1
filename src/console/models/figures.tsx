import { duration } from "../format.ts";
import { language } from "../locale.ts";
import type { Model } from "./columns.tsx";

const figure = new Intl.NumberFormat(language, { maximumSignificantDigits: 12 });

function shownOf(value: unknown): string {
  if (value === null || value === undefined) return "unknown";
  if (typeof value === "number") return figure.format(value);
  if (Array.isArray(value) && value.every((each) => typeof each === "string"))
    return value.join(", ") || "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}

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
              <td>{name}</td>
              <td>
                <code class="wraps">{shownOf(value)}</code>
              </td>
              <td>{from[name] ?? source}</td>
            </tr>
          ))}
          {canonicalName !== null && (
            <tr>
              <td>canonicalName</td>
              <td>
                <code class="wraps">{canonicalName}</code>
              </td>
              <td>this router, as</td>
            </tr>
          )}
          {measured !== null && (
            <tr>
              <td>measured</td>
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
