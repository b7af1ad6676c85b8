/** A place of which there are so many under a key: a reward of a campaign, or points of a creator in a day. */
export interface Place {
  readonly key: string;
  /** The attempt that takes it. */
  readonly holder: number;
  /** Of the holder, when it was read. */
  readonly revision: number;
  readonly amount: number;
}

/** A place that a holder asks for. */
export interface Taking extends Place {
  readonly atMost: number;
}

/** Decides about each in turn: which are taken, those that are there then, and how much is taken under each key. */
export function decideOn(asked: readonly Taking[], there: readonly Place[], used: ReadonlyMap<string, number>) {
  const nameOf = ({ key, holder }: Place) => `${holder} ${key}`;
  const places = new Map(there.map((place) => [nameOf(place), place]));
  const [taken, changed, totals] = [new Map<Taking, boolean>(), new Map<string, Place>(), new Map(used)];
  for (const one of asked) {
    const had = changed.get(nameOf(one)) ?? places.get(nameOf(one));
    const { key, holder, amount } = had ?? one;
    const total = (totals.get(key) ?? 0) + (had === undefined ? amount : 0);
    if (had === undefined && total > one.atMost) continue;
    totals.set(key, total);
    changed.set(nameOf(one), { key, holder, amount, revision: Math.max(had?.revision ?? 0, one.revision) });
    taken.set(one, true);
  }
  return { taken, changed: [...changed.values()], totals };
}

/** Counts what is given away, exactly. A holder has a place once, however often it takes it. */
export interface PlaceStore {
  /**
   * True if the holder has the place now, or had it. Then the greater revision stays, and nothing is added. False, and nothing changes,
   * if more than `atMost` would be taken.
   */
  take(place: Taking): Promise<boolean>;
  /** Gives the place back, unless it was taken with a greater revision. Idempotent. */
  release(place: Omit<Place, 'amount'>): Promise<void>;
  /** How much is taken. */
  used(key: string): Promise<number>;
}
