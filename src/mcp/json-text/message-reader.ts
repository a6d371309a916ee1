/**
 * Streams a message and detects whether other parsers could read it differently: it must be strict UTF-8 JSON,
 * and decisive keys (`decisive-keys.ts`) must be unique and spelled exactly.
 */
import { roundMethods } from "../../domain/sampling/rounds.ts";
import {
  answerNames,
  caseFolded,
  lookalike,
  paramsNames,
  resultNames,
  rules,
  type Rule,
  type RuleName,
} from "./decisive-keys.ts";
import type { JsonListener } from "./listener.ts";
import { createJsonScanner } from "./scanner.ts";

/**
 * `server` may request sampling; `roundless`: not in results. `client` may answer sampling. `caller` calls the
 * router. `params`: without an envelope.
 */
export type Sender = "server" | "roundless" | "client" | "caller" | "params";

export type Fault =
  | { kind: "malformed" }
  /** `name`: a protocol key, never a user's */
  | { kind: "ambiguous"; name: string | null; place: string }
  /** a result requests sampling where that is impossible */
  | { kind: "asks" };

export interface MessageReader {
  push(bytes: Uint8Array<ArrayBuffer>): Fault | null;
  end(): Fault | null;
  answers(): number;
}

interface Frame {
  kind: "object" | "array";
  /** `null` for a batch */
  rule: Rule | null;
  name: RuleName | null;
  /** bits of the decisive names found */
  seen: number;
  /** for objects whose keys must all be unique */
  keys: Set<string> | null;
  /** rule for the next member's value */
  next: RuleName | null;
  method: string | null;
  /** counts once `decider` is known to be about sampling */
  pending: Fault | null;
  /** a value that is not yet known to be about sampling */
  decider: Frame | null;
}

const samplingMethods = new Set(["sampling/createMessage", "sampling-router/createMessage"]);
const malformed: Fault = { kind: "malformed" };
const asks: Fault = { kind: "asks" };
const certain: Partial<Record<RuleName, ReadonlySet<string>>> = {
  sampling: new Set(paramsNames),
  clientResult: new Set(resultNames),
};

const bitsOf = (rule: RuleName, names: readonly string[]): number =>
  names.reduce((bits, name) => bits | (rules[rule].names.get(name) ?? 0), 0);
const answering = bitsOf("message", ["result", "error"]);
const samplingAnswer = bitsOf("clientResult", answerNames);

export function createMessageReader(sender: Sender): MessageReader {
  const frames: Frame[] = [];
  let fault: Fault | null = null;
  let answers = 0;

  const ambiguous = (frame: Frame, name: string | null): void => {
    const found: Fault = { kind: "ambiguous", name, place: frame.rule?.label ?? "the batch" };
    const { decider } = frame;
    const isCertain = name !== null && frame.name !== null && certain[frame.name]?.has(name);
    const isDecided = decider === null || samplingMethods.has(decider.method ?? "");
    if (isCertain === true || isDecided) fault ??= found;
    else decider.pending ??= found;
  };

  const push = (
    kind: Frame["kind"],
    name: RuleName | null,
    decider: "parent" | "itself" | "none",
  ): true => {
    const rule = name === null ? null : rules[name];
    const frame: Frame = {
      kind,
      rule,
      name,
      seen: 0,
      keys: rule?.isUnique === true && kind === "object" ? new Set() : null,
      next: kind === "array" ? name : null,
      method: null,
      pending: null,
      decider: decider === "parent" ? (frames.at(-1)?.decider ?? null) : null,
    };
    if (decider === "itself") frame.decider = frame;
    frames.push(frame);
    return true;
  };

  const paramsRule = ({ method }: Frame): RuleName =>
    sender !== "client" && (method === null || samplingMethods.has(method)) ? "sampling" : "params";

  const ruleInside = (frame: Frame, key: string): RuleName | null => {
    const { name, rule } = frame;
    if (rule === null) return null;
    if (name === "message" && key === "result")
      return sender === "client" ? "clientResult" : "result";
    if ((name === "message" || name === "entry") && key === "params") return paramsRule(frame);
    return Object.hasOwn(rule.inside, key) ? (rule.inside[key] ?? null) : rule.otherwise;
  };

  const listener: JsonListener = {
    opened(kind) {
      const parent = frames.at(-1);
      if (parent === undefined) {
        const root = sender === "params" ? "sampling" : null;
        if (kind === "array") return push("array", root, "none");
        return push("object", root ?? "message", "none");
      }
      if (parent.rule === null) {
        // Parsers that flatten lists would find a message.
        if (kind === "array") ambiguous(parent, null);
        return push("object", "message", "none");
      }
      const name = parent.next;
      if (name === null) return false;
      if (kind === "array") return push("array", name, "parent");
      if (name === "clientResult") return push("object", name, "itself");
      const isOpen = name === "sampling" && (parent.name === "message" || parent.name === "entry");
      if (isOpen) {
        push("object", name, "none");
        const frame = frames.at(-1) as Frame;
        frame.decider = parent;
        return true;
      }
      // Protocol members always count.
      const isOwn = ["meta", "capabilities", "requests", "responses"].includes(name);
      return push("object", name, isOwn ? "none" : "parent");
    },
    closed() {
      const frame = frames.pop();
      if (frame === undefined || frame.kind === "array") return;
      const { seen } = frame;
      if (frame.name === "message" && (seen & answering) !== 0) {
        answers += 1;
        // Parsers disagree on whether this is a request or an answer.
        if (frame.method !== null) ambiguous(frame, "method");
      }
      if (frame.name === "clientResult" && (seen & samplingAnswer) === samplingAnswer)
        fault ??= frame.pending;
    },
    key(key) {
      const frame = frames.at(-1);
      if (frame === undefined || frame.rule === null || frame.kind === "array") return false;
      const { rule, keys } = frame;
      const bit = rule.names.get(key);
      const name = bit === undefined ? lookalike(rule, key) : key;
      if (name !== undefined) {
        const seen = bit ?? rule.names.get(name) ?? 0;
        if (bit === undefined || (frame.seen & seen) !== 0) ambiguous(frame, name);
        frame.seen |= seen;
      }
      if (keys !== null) {
        const folded = caseFolded(key);
        if (keys.has(folded)) ambiguous(frame, null);
        keys.add(folded);
      }
      frame.next = ruleInside(frame, key);
      return key === "method" && (frame.name === "message" || frame.name === "entry");
    },
    text(text) {
      const frame = frames.at(-1);
      if (frame === undefined) return;
      frame.method = text;
      if (!samplingMethods.has(text)) return;
      if (sender === "roundless" && frame.name === "entry") fault ??= asks;
      fault ??= frame.pending;
    },
    isDone: () => fault !== null,
  };

  const scanner = createJsonScanner(listener);
  return {
    push(bytes) {
      const isJson = fault === null && scanner.push(bytes);
      if (fault === null && !isJson) fault = malformed;
      return fault;
    },
    end() {
      if (fault === null && !scanner.end()) fault = malformed;
      return fault;
    },
    answers: () => answers,
  };
}

export const withoutMark = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

export function faultIn(bytes: Uint8Array<ArrayBuffer>, sender: Sender): Fault | null {
  const reader = createMessageReader(sender);
  return reader.push(withoutMark(bytes)) ?? reader.end();
}

/** Contains nothing of the message. */
export function explainFault(fault: Fault): string {
  if (fault.kind === "malformed") return "no strict JSON in UTF-8";
  if (fault.kind === "asks")
    return `one that asks for sampling, which only those to ${roundMethods.join(", ")} may`;
  const key = fault.name === null ? "a key" : `the key "${fault.name}"`;
  return `ambiguous JSON: ${key} of ${fault.place} occurs twice, is spelled differently, or excludes another key`;
}
