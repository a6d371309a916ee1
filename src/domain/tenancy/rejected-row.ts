/** A row that grants something and isn't as this router wrote it. It counts as missing. */
export interface RejectedRow {
  /** null: no tenant's */
  tenantId: string | null;
  table: string;
  /** without secrets */
  id: string;
}

export type NoteRejected = (row: RejectedRow) => Promise<void>;
