/** One page of a list, newest first. */

export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

export interface PageRequest {
  /** id of the last entry of the page before; null: the first page */
  cursor: string | null;
  limit: number;
}
