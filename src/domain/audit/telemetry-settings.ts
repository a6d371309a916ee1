import { withoutTrailing } from "../bounded-url.ts";
import { headerPairsIn } from "../header-pairs.ts";
import { err, ok, type Result } from "../result.ts";

export interface TelemetryTarget {
  url: string;
  headers: Record<string, string>;
  serviceName: string;
}

export interface TelemetrySettings {
  traceTarget: TelemetryTarget | null;
  metricTarget: TelemetryTarget | null;
  metricTenants: boolean;
}

interface Environment {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  OTEL_EXPORTER_OTLP_HEADERS?: string;
  OTEL_SERVICE_NAME?: string;
  OTEL_METRICS_EXPORTER?: string;
  METRICS_TENANTS?: string;
}

interface Fault {
  setting: string;
  problem: string;
}

const defaultServiceName = "sampling-router";
const fault = (setting: keyof Environment, problem: string): Result<never, Fault> =>
  err({ setting, problem });

function endpointOf(text: string): URL | null {
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  return isHttp && url.username === "" && url.password === "" ? url : null;
}

const signalUrl = (base: URL, signal: "traces" | "metrics"): string => {
  const url = new URL(base);
  url.pathname = `${withoutTrailing(url.pathname, "/")}/v1/${signal}`;
  return url.href;
};

export function parseTelemetry(given: Environment): Result<TelemetrySettings, Fault> {
  const headers = headerPairsIn(given.OTEL_EXPORTER_OTLP_HEADERS ?? "");
  if (headers === null)
    return fault(
      "OTEL_EXPORTER_OTLP_HEADERS",
      "must be name=value pairs, separated by commas, percent-encoded",
    );
  const serviceName = given.OTEL_SERVICE_NAME?.trim() || defaultServiceName;
  if (!/^[ -~]{1,255}$/.test(serviceName))
    return fault("OTEL_SERVICE_NAME", "must be at most 255 printable ASCII characters");
  const exporter = given.OTEL_METRICS_EXPORTER?.trim() || "none";
  if (exporter !== "none" && exporter !== "otlp")
    return fault("OTEL_METRICS_EXPORTER", "must be otlp or none");
  const tenants = given.METRICS_TENANTS?.trim() || "false";
  if (tenants !== "true" && tenants !== "false")
    return fault("METRICS_TENANTS", "must be true or false");
  const metricTenants = tenants === "true";
  const endpoint = given.OTEL_EXPORTER_OTLP_ENDPOINT ?? "";
  if (endpoint === "")
    return exporter === "otlp"
      ? fault("OTEL_METRICS_EXPORTER", "is otlp, and OTEL_EXPORTER_OTLP_ENDPOINT is not set")
      : ok({ traceTarget: null, metricTarget: null, metricTenants });
  const url = endpointOf(endpoint);
  if (url === null)
    return fault("OTEL_EXPORTER_OTLP_ENDPOINT", "must be an http: or https: URL without user info");
  const targetOf = (signal: "traces" | "metrics"): TelemetryTarget => ({
    url: signalUrl(url, signal),
    headers,
    serviceName,
  });
  return ok({
    traceTarget: targetOf("traces"),
    metricTarget: exporter === "otlp" ? targetOf("metrics") : null,
    metricTenants,
  });
}
