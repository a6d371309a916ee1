/**
 * Reads a message while it arrives, and finds whether another parser could read it otherwise than the router
 * does. The message must be strict JSON in UTF-8, and each key by which the router decides must stand there
 * once and as it is spelt. `decisive-keys.ts` has these keys.
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
 * `server`: may ask for sampling. `roundless`: a server whose results may not. `client`: may answer sampling. `caller`: asks the router itself. `params`:
 * what a caller sends without an envelope.
 */
export type Sender = "server" | "roundless" | "client" | "caller" | "params";

export type Fault =
  /** the text is no strict JSON in UTF-8 */
  | { kind: "malformed" }
  /** `name`: a key of the protocol, and never one of somebody's own; null: it is no such key */
  | { kind: "ambiguous"; name: string | null; place: string }
  /** a result asks for sampling that nobody may answer */
  | { kind: "asks" };

export interface MessageReader {
  push(bytes: Uint8Array<ArrayBuffer>): Fault | null;
  end(): Fault | null;
  /** how many messages were answers, as far as the text has come */
  answers(): number;
}

interface Frame {
  kind: "object" | "array";
  /** null: the frame is a batch */
  rule: Rule | null;
  name: RuleName | null;
  /** bits of the decisive names that have come */
  seen: number;
  /** the keys of an object in which all keys count */
  keys: Set<string> | null;
  /** the rule for the value of the next member */
  next: RuleName | null;
  method: string | null;
  /** the fault that counts if `decider` turns out to be about sampling */
  pending: Fault | null;
  /** the value of which it is not known yet whether it is about sampling; null: faults here count anyway */
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

  /** The rule for a request's params, whose method is known by now, or not yet. */
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
        // A parser that flattens lists finds a message in it.
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
      // The protocol's own members count whatever the message is about.
      const isOwn = ["meta", "capabilities", "requests", "responses"].includes(name);
      return push("object", name, isOwn ? "none" : "parent");
    },
    closed() {
      const frame = frames.pop();
      if (frame === undefined || frame.kind === "array") return;
      const { seen } = frame;
      if (frame.name === "message" && (seen & answering) !== 0) {
        answers += 1;
        // Some parsers take such a message for a request, others for an answer.
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

/** A byte order mark at the beginning of a text is no part of it. */
export const withoutMark = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** Reads a whole text. */
export function faultIn(bytes: Uint8Array<ArrayBuffer>, sender: Sender): Fault | null {
  const reader = createMessageReader(sender);
  return reader.push(withoutMark(bytes)) ?? reader.end();
}

/** What is wrong, in words. Holds nothing of the message. */
export function explainFault(fault: Fault): string {
  if (fault.kind === "malformed") return "no strict JSON in UTF-8";
  if (fault.kind === "asks")
    return `one that asks for sampling, which only those to ${roundMethods.join(", ")} may`;
  const key = fault.name === null ? "a key" : `the key "${fault.name}"`;
  return `ambiguous JSON: ${key} of ${fault.place} stands there twice, or spelt otherwise, or beside what it excludes`;
}
