const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is not a directory",
  EISDIR: "it is a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
};

export function readFault(path: string, cause: unknown): Error {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return new Error(`${path} can't be read: ${reasons[code] ?? (code || "it failed")}`);
}
