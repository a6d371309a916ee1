export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const err = <E>(error: E): { readonly ok: false; readonly error: E } => ({
  ok: false,
  error,
});

export async function mapped<T, U, E>(
  pending: Promise<Result<T, E>>,
  map: (value: T) => U,
): Promise<Result<U, E>> {
  const result = await pending;
  return result.ok ? ok(map(result.value)) : result;
}
