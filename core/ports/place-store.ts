/** A place of which there are so many under a key: a reward of a campaign, or points of a creator in a day. */
export interface Place {
  readonly key: string;
  /** The attempt that takes it. */
  readonly holder: number;
  /** Of the holder, when it was read. */
  readonly revision: number;
  readonly amount: number;
}

/** Counts what is given away, exactly. A holder has a place once, however often it takes it. */
export interface PlaceStore {
  /**
   * True if the holder has the place now, or had it. Then the greater revision stays, and nothing is added. False, and nothing changes,
   * if more than `atMost` would be taken.
   */
  take(place: Place & { readonly atMost: number }): Promise<boolean>;
  /** Gives the place back, unless it was taken with a greater revision. Idempotent. */
  release(place: Omit<Place, 'amount'>): Promise<void>;
  /** How much is taken. */
  used(key: string): Promise<number>;
}
