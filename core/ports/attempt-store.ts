import type { Attempt, HeldReason, NewAttempt, SignalName } from '../engagement/attempts/attempt.ts';
import { type AttemptState, isRewarded, rulesOf } from '../engagement/attempts/states.ts';
import type { OutboxEntry } from '../engagement/webhooks/outbox.ts';
import type { PlatformName } from '../platforms/platform-name.ts';
import type { Page, PageRequest } from './paging.ts';
import type { SeriesCount, SeriesRange } from './series.ts';
import type { WaitingCursor } from './waiting.ts';

/** The attempts of a challenge, counted. */
export interface ChallengeSummary {
  /** Only states that occur. */
  readonly byState: Readonly<Partial<Record<AttemptState, number>>>;
  readonly totalAttempts: number;
  /** Attempts that were ever verified. */
  readonly totalVerified: number;
  readonly totalRewarded: number;
  readonly totalPointsIssued: number;
}

/** The attempts of a challenge in one state, counted. */
export interface StateCount {
  readonly state: AttemptState;
  readonly attempts: number;
  readonly verified: number;
  readonly points: number;
}

/** Adds up what a storage has counted by state. */
export function summaryOf(rows: readonly StateCount[]): ChallengeSummary {
  const sum = (of: (row: StateCount) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    byState: Object.fromEntries(rows.map(({ state, attempts }) => [state, attempts])),
    totalAttempts: sum(({ attempts }) => attempts),
    totalVerified: sum(({ verified }) => verified),
    totalRewarded: sum(({ state, attempts }) => (isRewarded(rulesOf(state)) ? attempts : 0)),
    totalPointsIssued: sum(({ points }) => points),
  };
}

/** An attempt with what is known of its creator. */
export interface ParticipantRow {
  readonly attempt: Attempt;
  readonly externalId: string;
  readonly displayName: string | null;
  readonly platform: PlatformName;
  /** The creator's most recently connected handle on the platform, active ones before disconnected ones; null when none. */
  readonly platformUsername: string | null;
}

/** A creator and what the campaigns of one brand have brought. */
export interface LeaderboardRow {
  readonly userId: number;
  readonly externalId: string;
  readonly displayName: string | null;
  readonly avatarUrl: string | null;
  readonly points: number;
  /** Attempts that have these points. */
  readonly rewards: number;
}

/** By id, or by the time of the last change and then by id; with a minus sign descending. */
export const PARTICIPANT_SORTS = ['id', '-id', 'updatedAt', '-updatedAt'] as const;

/** Which attempts of a challenge a list is about, all of them by default, and their order. */
export interface ParticipantFilter {
  readonly state?: AttemptState | undefined;
  readonly signal?: SignalName | undefined;
  readonly held?: HeldReason | undefined;
  /** Those of these creators, at most 1,000. */
  readonly userIds?: readonly number[];
  /** `id` by default. */
  readonly sort?: (typeof PARTICIPANT_SORTS)[number] | undefined;
}

/** Rewards that brands have given; those of one brand if it is named. */
export interface RewardsOf {
  readonly rewardedBy: 'all' | { readonly brandId: number };
}

/** What a creator has of one brand. */
export interface BrandPoints {
  readonly brandId: number;
  readonly points: number;
}

/** What became of creating an attempt. */
export type CreateAttemptResult =
  | { readonly kind: 'created'; readonly attempt: Attempt }
  /** The creator already has this attempt at the challenge. */
  | { readonly kind: 'exists'; readonly attempt: Attempt }
  | { readonly kind: 'challenge-gone' };

/** What is to be done for an attempt; see `AttemptStore.due`. */
export type DueKind = 'expiry' | 'job' | 'recheck' | 'check';

/** Attempts. State and outbox entries (`OutboxStore`) are one atomic write. */
export interface AttemptStore {
  /**
   * Stores attempts at one challenge together with their outbox entries, in few round trips; results in input order. Unique by
   * challenge and creator: exactly one of concurrent calls gets `created`, the others `exists`. `challenge-gone` when the campaign
   * was deleted meanwhile, and for a creator who was erased meanwhile. Each attempt is stored whole or not at all; a call that fails midway leaves the first ones, and
   * repeating it gives `exists` for them.
   */
  create(
    attempts: readonly {
      readonly attempt: NewAttempt;
      readonly outbox: (attemptId: number) => readonly OutboxEntry[];
    }[],
  ): Promise<readonly CreateAttemptResult[]>;
  /** By id, or the one of a creator at a challenge; null if there is none. */
  find(which: number | Pick<Attempt, 'challengeId' | 'userId'>): Promise<Attempt | null>;
  /**
   * Writes `after` and appends `outbox`, atomically, if the stored attempt still has `before.revision`; `after.revision` is
   * `before.revision + 1`. Exactly one of concurrent callers with the same `before` gets true; the others change nothing.
   */
  transition(before: Attempt, after: Attempt, outbox: readonly OutboxEntry[]): Promise<boolean>;
  /** Of these creators, those who have an attempt at the challenge. */
  creatorsWithAttempt(challengeId: number, userIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Attempts with the creator's facts. */
  participants(
    challengeId: number,
    platform: PlatformName,
    filter: ParticipantFilter,
    page: PageRequest,
  ): Promise<Page<ParticipantRow>>;
  /** The attempts of a creator, newest first; with `only`, those that were rewarded. */
  ofCreator(userId: number, page: PageRequest, only?: RewardsOf): Promise<Page<Attempt>>;
  /** Adds up the points of a creator's rewards by brand, in the order of the brands' ids. */
  pointsByBrand(userId: number, of: RewardsOf): Promise<readonly BrandPoints[]>;
  /**
   * Creators with points from the campaigns of a brand: most points first, then by `userId`. The position of a row has the points as
   * `by`. All attempts with points are added up for each page.
   */
  leaderboard(brandId: number, page: PageRequest): Promise<Page<LeaderboardRow>>;
  /** Counts the attempts of a challenge; zeros if there are none. */
  summary(challengeId: number): Promise<ChallengeSummary>;
  /**
   * Counts what happened in a range, of one challenge, of one brand, or of all: `attempts` by `createdAt`, `verifications` by
   * `verifiedAt`, `rewards` and their `points` by `rewardedAt`.
   */
  series(
    range: SeriesRange,
    filter: { readonly challengeId?: number; readonly brandId?: number },
  ): Promise<readonly SeriesCount[]>;
  /** Those of a challenge that are held by a `limit` and have no `checkAt`: by `verifiedAt`, then id. */
  inLine(challengeId: number, limit: number): Promise<readonly Attempt[]>;
  /** The challenges behind this one that have such attempts, by their ids. */
  challengesInLine(after: number, limit: number): Promise<readonly number[]>;
  /**
   * Attempts for which something is to be done at a time, behind `after`. Several processes may get the same ones: `transition`
   * decides who moves them.
   * - `expiry`: claimed, in an open state, and their `verificationDeadline` or their campaign's end is before `at`. By id; the
   *   cursor's time does not matter. Those whose verification is under way have `PENDING_GRACE_MS` more: their deadline or end is
   *   that long before `at`. A campaign that ended more than `VERIFICATION_WINDOW_MS` before that need not be looked at: no
   *   deadline reaches further.
   * - `job`: in a state that awaits a job, not `held`, and they have not moved since before `at`. By `updatedAt`, then id.
   * - `recheck`: in a state that takes `recheck`, and `recheck.at` is not after `at`. By `recheck.at`, then id.
   * - `check`: `checkAt` is not after `at`. By `checkAt`, then id.
   */
  due(kind: DueKind, at: Date, limit: number, after?: WaitingCursor): Promise<readonly Attempt[]>;
}
