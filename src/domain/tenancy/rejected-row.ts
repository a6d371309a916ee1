/** A forged or damaged row that grants access; it counts as missing. */
export interface RejectedRow {
  tenantId: string | null;
  table: string;
  id: string;
}

export type NoteRejected = (row: RejectedRow) => Promise<void>;
