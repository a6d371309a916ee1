import { isObject, parsedJson, type JsonObject } from "../json.ts";
import { unfenced } from "./answer-check.ts";

function withEscapes(text: string): string {
  let escaped = "";
  let isInside = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') isInside = !isInside;
    if (isInside && character === "\\") {
      escaped += character + text.charAt(at + 1);
      at += 1;
    } else
      escaped += isInside && character < " " ? JSON.stringify(character).slice(1, -1) : character;
  }
  return escaped;
}

/** Some models wrap JSON in a JSON string. */
const maxReadings = 2;

/** null: not a JSON object. Truncated input is never repaired. */
export function toolInputOf(text: string): JsonObject | null {
  let read = (unfenced(text) ?? text).trim();
  if (read === "") return {};
  for (let reading = 0; reading < maxReadings; reading += 1) {
    const value = parsedJson(read) ?? parsedJson(withEscapes(read));
    if (value === null) return {};
    if (isObject(value)) return value;
    if (typeof value !== "string") return null;
    read = value.trim();
    if (read === "") return {};
  }
  return null;
}
