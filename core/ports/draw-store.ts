import type { Draw } from '../engagement/campaigns/draw.ts';

/** The secret of a draw, and what was drawn. */
export interface KeptDraw {
  /** SHA-256 of the seed; its name. */
  readonly commitment: string;
  readonly sealedSeed: string;
  /** `drawn`: the participants do not all know yet. `released`: a job tells each of them. */
  readonly state: 'open' | 'drawn' | 'released';
  /** Absent while it is `open`. */
  readonly draw?: Draw;
}

/** Draws of campaigns. Each is made once. */
export interface DrawStore {
  /** Keeps a seed, before a campaign publishes its commitment. One whose campaign was not stored after all stays. */
  keep(seed: Pick<KeptDraw, 'commitment' | 'sealedSeed'>): Promise<void>;
  /** Null if there is none. */
  find(commitment: string): Promise<KeptDraw | null>;
  /** Stores what was drawn while the draw is open: of concurrent callers, one. False, and nothing changes, for the others. */
  decide(commitment: string, draw: Draw): Promise<boolean>;
  /** Those in the state `drawn`, at most so many. */
  unreleased(limit: number): Promise<readonly KeptDraw[]>;
  /** A draw that is `drawn` becomes `released`. */
  markReleased(commitment: string): Promise<void>;
}
