/** The turn of one call among those of its tenant and of others. */
export interface CallTurn {
  /**
   * Others have the turn while `wait` is pending; what follows is in turn again. Between the pieces of long
   * work, `wait` may give way: the next piece then waits for one turn of each other tenant.
   */
  outside: <T>(wait: (giveWay: () => Promise<void>) => Promise<T>) => Promise<T>;
  end: () => void;
}
