/** Masks webhook URLs, whose path often is a secret, for actors who may not change the policy. */
import type { JsonValue } from "../../../domain/json.ts";
import { actsAs, type Actor } from "../../../domain/tenancy/access.ts";
import { roleMay } from "../../../domain/tenancy/scopes.ts";

const maySeeUrls = (actor: Actor): boolean => roleMay(actsAs(actor), "change");

export const originOf = (url: string): string => URL.parse(url)?.origin ?? "";

const shortened = (url: string): string => `${originOf(url)}/…`;

export const webhookUrlFor = (actor: Actor, url: string): string =>
  maySeeUrls(actor) ? url : shortened(url);

function withoutUrls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutUrls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === "webhookUrl" && typeof each === "string" ? shortened(each) : withoutUrls(each),
    ]),
  );
}

export const withUrlsFor = <T>(actor: Actor, value: T): T =>
  maySeeUrls(actor) ? value : (withoutUrls(value as JsonValue) as T);
