/** Newest first. */

export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

export interface PageRequest {
  /** id of the last entry of the previous page */
  cursor: string | null;
  limit: number;
}
