import { counted } from "../../domain/counted.ts";

export interface Finding {
  check: string;
  /** `fault`: broken, or secrets are exposed */
  level: "ok" | "warning" | "fault";
  says: string;
  advice: string | null;
}

export const fine = (check: string, says: string): Finding => ({
  check,
  level: "ok",
  says,
  advice: null,
});

export const warning = (check: string, says: string, advice: string): Finding => ({
  check,
  level: "warning",
  says,
  advice,
});

export const faulty = (check: string, says: string, advice: string): Finding => ({
  check,
  level: "fault",
  says,
  advice,
});

const marks = { ok: "ok     ", warning: "warning", fault: "FAULT  " } as const;

export function linesOf(findings: readonly Finding[]): string[] {
  const faults = findings.filter(({ level }) => level === "fault").length;
  const warnings = findings.filter(({ level }) => level === "warning").length;
  return [
    ...findings.flatMap(({ check, level, says, advice }) => [
      `${marks[level]}  ${check.padEnd(11)} ${says}`,
      ...(advice === null ? [] : [`${" ".repeat(21)}→ ${advice}`]),
    ]),
    `${counted(faults, "fault")}, ${counted(warnings, "warning")}.`,
  ];
}
