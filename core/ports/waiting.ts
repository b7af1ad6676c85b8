/** A record that waits for work. Stores list those that wait longest first, in pieces, from a cursor on. */
export interface Waiting {
  readonly id: number;
  readonly since: Date;
}

/** The place of a record in the order. The next piece begins behind it, also if it is gone. */
export type WaitingCursor = Pick<Waiting, 'id' | 'since'>;
