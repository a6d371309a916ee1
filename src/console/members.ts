/** Members of a JSON value by their path, for example `approval.when.tools`. Pure, for tests. */
type Members = Readonly<Record<string, unknown>>;

export const valueAt = (value: unknown, path: string): unknown =>
  path.split(".").reduce((whole, name) => (whole as Members | undefined)?.[name], value);

/** Without undefined members and blank texts; undefined without any others. */
export function given<T extends object>(value: T): T | undefined {
  const members = Object.entries(value).filter(([, its]) => its !== undefined && its !== "");
  return members.length === 0 ? undefined : (Object.fromEntries(members) as T);
}

/** Within a member, blank texts are removed, and so are members that become empty. */
export function withValueAt(whole: unknown, path: string, value: unknown): Members {
  const [name = "", ...rest] = path.split(".");
  const { [name]: before, ...others } = (whole ?? {}) as Members;
  if (rest.length === 0) return { ...others, [name]: value };
  return { ...others, [name]: given(withValueAt(before, rest.join("."), value)) };
}
