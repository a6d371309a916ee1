export interface CallSlot {
  /** Releases the slot during `wait`. Long work can yield to other tenants between its pieces with `yieldSlot`. */
  outside: <T>(wait: (yieldSlot: () => Promise<void>) => Promise<T>) => Promise<T>;
  end: () => void;
}

/** For messages that need no slot. */
export const unscheduled: CallSlot = { outside: (wait) => wait(async () => {}), end: () => {} };
