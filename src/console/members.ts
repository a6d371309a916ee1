/** Members of a JSON value by their path, for example `approval.when.tools`. Pure, for tests. */

export const valueAt = (value: unknown, path: string): unknown =>
  path.split(".").reduce((whole, name) => (whole as Members | undefined)?.[name], value);

type Members = Readonly<Record<string, unknown>>;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === "" ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** Empty values within a member are removed, and so are members that become empty. */
export function withValueAt(whole: unknown, path: string, value: unknown): Members {
  const [name = "", ...rest] = path.split(".");
  const { [name]: before, ...others } = (whole ?? {}) as Members;
  if (rest.length === 0) return { ...others, [name]: value };
  const inner = withValueAt(before, rest.join("."), value);
  const kept = Object.fromEntries(Object.entries(inner).filter(([, its]) => !isEmpty(its)));
  return { ...others, [name]: isEmpty(kept) ? undefined : kept };
}
