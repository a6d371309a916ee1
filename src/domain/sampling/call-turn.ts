/** The turn of one call among those of its tenant and of others. */
export interface CallTurn {
  /** Others have the turn while `wait` is pending; what follows is in turn again. */
  outside: <T>(wait: () => Promise<T>) => Promise<T>;
  end: () => void;
}
