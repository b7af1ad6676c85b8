/** Records that wait for work, those that wait longest first. Stores walk them in pieces, from a cursor on. */

/** A record that waits. */
export interface Waiting {
  readonly id: number;
  readonly since: Date;
}

/** The place of a record in the order. The next piece begins behind it, also if it is gone. */
export type WaitingCursor = Pick<Waiting, 'id' | 'since'>;
