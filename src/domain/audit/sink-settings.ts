import { err, ok, type Result } from "../result.ts";

export type SinkTarget =
  | {
      kind: "s3";
      url: string;
      region: string;
      accessKeyId: string;
      secretAccessKey: string;
      /** days of object lock; null: the bucket's default */
      lockDays: number | null;
    }
  | { kind: "webhook"; url: string; secret: string };

export const sinkSettings = [
  "AUDIT_SINK_URL",
  "AUDIT_SINK_REGION",
  "AUDIT_SINK_ACCESS_KEY_ID",
  "AUDIT_SINK_SECRET_ACCESS_KEY",
  "AUDIT_SINK_LOCK_DAYS",
  "AUDIT_SINK_WEBHOOK_SECRET",
] as const;

export type SinkEnvironment = Partial<Record<(typeof sinkSettings)[number], string>>;

const fault = (setting: keyof SinkEnvironment, problem: string) => err({ setting, problem });

export function parseSink(
  given: SinkEnvironment,
  isAllowed: (url: string) => boolean,
): Result<SinkTarget | null, { setting: string; problem: string }> {
  const url = given.AUDIT_SINK_URL?.trim() ?? "";
  if (url === "") return ok(null);
  if (!isAllowed(url) || url.includes("?"))
    return fault(
      "AUDIT_SINK_URL",
      "must be an https: URL, or an http: one of this machine, without user info, query and fragment",
    );
  const secret = given.AUDIT_SINK_WEBHOOK_SECRET?.trim() ?? "";
  const accessKeyId = given.AUDIT_SINK_ACCESS_KEY_ID?.trim() ?? "";
  if (secret !== "") {
    if (accessKeyId !== "")
      return fault("AUDIT_SINK_WEBHOOK_SECRET", "and AUDIT_SINK_ACCESS_KEY_ID exclude each other");
    return /^whsec_[A-Za-z0-9+/]{32,}=*$/.test(secret)
      ? ok({ kind: "webhook", url, secret })
      : fault("AUDIT_SINK_WEBHOOK_SECRET", "must be whsec_ and at least 24 bytes in base64");
  }
  const secretAccessKey = given.AUDIT_SINK_SECRET_ACCESS_KEY?.trim() ?? "";
  if (accessKeyId === "") return fault("AUDIT_SINK_ACCESS_KEY_ID", "is missing");
  if (secretAccessKey === "") return fault("AUDIT_SINK_SECRET_ACCESS_KEY", "is missing");
  const days = given.AUDIT_SINK_LOCK_DAYS?.trim() ?? "";
  if (!/^([1-9][0-9]{0,4})?$/.test(days))
    return fault("AUDIT_SINK_LOCK_DAYS", "must be a whole number from 1 to 99999");
  const region = given.AUDIT_SINK_REGION?.trim() || "us-east-1";
  const lockDays = days === "" ? null : Number(days);
  return ok({ kind: "s3", url, region, accessKeyId, secretAccessKey, lockDays });
}
