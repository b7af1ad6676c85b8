/**
 * Several sources of one platform behind one `Platform`: the first that gives an answer is believed. A clear answer (the post
 * is gone, private, age restricted …) is an answer too. A transient failure, `NOT_SUPPORTED`, or a post that is only kept from
 * readers of this kind, sends the question on.
 */
import { DomainError, isDomainError } from '../errors.ts';
import { type Clock, monotonicMs, systemClock } from '../ports/clock.ts';
import { type Logger, silentLogger } from '../ports/logger.ts';
import type { CommentPage, Platform, PlatformCallOptions, PlatformWay } from '../ports/platform.ts';

export interface PlatformChainOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** A name marks the cursors that a source hands out, so it stays between versions. */
const SOURCE_NAME = /^[a-z]{1,20}$/;
/** Is in no cursor of our adapters, so a cursor from before there was a chain is told from one of the chain's. */
const MARK = '~';

/**
 * Asks the sources in order. A page sequence stays with the source it began with. Its cursors mean nothing to the others, so a
 * later page that fails is not asked elsewhere. A cursor without a mark is taken for one of the first source.
 *
 * A caller's deadline is shared out. Each source may use an equal part of what is left, so that a slow one leaves time for the
 * next. When every source fails, the failure of the first that may yet answer is thrown, else of the first that supports the
 * question. It has the others' in `details.also` and the shortest `retryAfterSeconds` of all.
 *
 * The chain owns its sources: closing it closes them.
 * @throws TypeError for no sources, names that are not distinct words, or sources of different platforms
 */
export function createPlatformChain(sources: readonly PlatformWay[], options: PlatformChainOptions = {}): Platform {
  const [first] = sources;
  if (first === undefined) throw new TypeError('A chain needs at least one source.');
  const { name } = first.platform;
  if (sources.some(({ platform }) => platform.name !== name)) throw new TypeError('A chain is of one platform only.');
  const names = new Set(sources.map((source) => source.name));
  if (names.size < sources.length || [...names].some((each) => !SOURCE_NAME.test(each))) {
    throw new TypeError('The sources of a chain need distinct names of lower-case letters.');
  }
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? silentLogger;

  async function ask<T>(
    all: readonly PlatformWay[],
    call: PlatformCallOptions | undefined,
    question: (
      source: PlatformWay,
      options: PlatformCallOptions | undefined,
      failures: readonly Failure[],
    ) => Promise<T>,
  ): Promise<T> {
    const members = await serving(all, call);
    const failures: Failure[] = [];
    const leftMs = timeLeft(call, clock);
    for (const [index, source] of members.entries()) {
      try {
        return await question(source, withShare(call, leftMs() / (members.length - index), clock), failures);
      } catch (error) {
        const isDoubtful = isDomainError(error, 'POST_NOT_FOUND') && wasSeen(failures);
        if (!(isTransient(error) || isKept(error) || isDoubtful)) throw error;
        failures.push({ source: source.name, error });
        if (call?.signal?.aborted === true || leftMs() === 0) break;
        if (index < members.length - 1) {
          const fields = { platform: name, source: source.name, code: error.code, reason: error.details?.reason };
          logger.info(fields, 'a source failed; the next one is asked');
        }
      }
    }
    throw summary(failures);
  }

  /** Those that read for this caller; if none does, the first, so that it says why. */
  async function serving(
    members: readonly PlatformWay[],
    call: PlatformCallOptions | undefined,
  ): Promise<readonly PlatformWay[]> {
    const answers = await Promise.all(members.map(async ({ platform }) => (await platform.serves?.(call)) ?? true));
    const served = members.filter((_member, index) => answers[index]);
    return served.length > 0 ? served : members.slice(0, 1);
  }

  /** The members that can, or all of them, so that one says why it cannot. */
  function able(what: keyof Platform['supports']): readonly PlatformWay[] {
    const members = sources.filter(({ platform }) => platform.supports[what]);
    return members.length === 0 ? sources : members;
  }

  async function readList(
    members: readonly PlatformWay[],
    cursor: string | null,
    call: PlatformCallOptions | undefined,
    read: (platform: Platform, cursor: string | null, options: PlatformCallOptions | undefined) => Promise<CommentPage>,
  ): Promise<CommentPage> {
    const place = cursor === null ? null : placeOf(cursor);
    if (place !== null && (await place.source.platform.serves?.(call)) === false) throw unknownCursor();
    return await ask(place === null ? members : [place.source], call, async (source, shared) => {
      const page = await read(source.platform, place?.cursor ?? null, shared);
      const { nextCursor } = page;
      const readBy = `${source.name}/${page.source ?? name}`;
      return { ...page, source: readBy, nextCursor: nextCursor === null ? null : source.name + MARK + nextCursor };
    });
  }

  /** @throws `INVALID_REQUEST` for the mark of a source that is not in this chain */
  function placeOf(cursor: string): { readonly source: PlatformWay; readonly cursor: string } {
    const end = cursor.indexOf(MARK);
    if (end === -1) return { source: first as PlatformWay, cursor };
    const source = sources.find((each) => each.name === cursor.slice(0, end));
    if (source !== undefined) return { source, cursor: cursor.slice(end + 1) };
    throw unknownCursor();
  }

  return {
    name,
    supports: {
      likers: sources.some(({ platform }) => platform.supports.likers),
      replies: sources.some(({ platform }) => platform.supports.replies),
    },
    resolveShortLink: (url, call) => ask(sources, call, ({ platform }, own) => platform.resolveShortLink(url, own)),
    getPost: (post, call) => ask(sources, call, ({ platform }, own) => platform.getPost(post, own)),
    getComments: (post, cursor, call) =>
      readList(sources, cursor, call, (platform, at, own) => platform.getComments(post, at, own)),
    getReplies: (post, commentId, cursor, call) =>
      readList(able('replies'), cursor, call, (platform, at, own) => platform.getReplies(post, commentId, at, own)),
    getLikers: (post, maxCount, call) =>
      ask(able('likers'), call, ({ platform }, own) => platform.getLikers(post, maxCount, own)),
    getProfile: (handle, call) =>
      ask(sources, call, async ({ platform }, own, failures) => {
        const profile = await platform.getProfile(handle, own);
        if (profile === null && failures.some(({ error }) => isRefused(error))) throw emptyProfile(name);
        return profile;
      }),
    // A list that is whole by contract needs no second witness, and is none for other brands.
    ways: sources.filter(({ platform }) => platform.serves === undefined),
    sessionStates: () => sources.flatMap(({ platform }) => platform.sessionStates?.() ?? []),
    credits: () => sources.map(({ platform }) => platform.credits?.() ?? null).find((each) => each !== null) ?? null,
    async close() {
      await Promise.all(sources.map(({ platform }) => platform.close()));
    },
  };
}

function unknownCursor(): DomainError {
  const message = 'The cursor comes from a source that is not configured here; begin without one.';
  return new DomainError('INVALID_REQUEST', message);
}

interface Failure {
  readonly source: string;
  readonly error: DomainError;
}

/** Another source may succeed where this one failed. */
function isTransient(error: unknown): error is DomainError {
  return isDomainError(error, 'SCRAPING_RATE_LIMITED', 'PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT', 'NOT_SUPPORTED');
}

/** The post is there, but not for this source: one that is logged in, or elsewhere, may be shown it. */
function isKept(error: unknown): error is DomainError {
  const reason = isDomainError(error, 'POST_UNAVAILABLE') ? error.details?.reason : undefined;
  return reason === 'gated' || reason === 'region';
}

/** A post that another source has just seen is not gone. */
function wasSeen(failures: readonly Failure[]): boolean {
  return failures.some((failure) => isKept(failure.error));
}

function isRefused(error: DomainError): boolean {
  return isTransient(error) && error.code !== 'NOT_SUPPORTED';
}

/** What one source shows as empty is no proof while another cannot be read: the stored profile would be lost for it. */
function emptyProfile(platform: string): DomainError {
  const message = 'One source shows an empty profile, and another cannot be read; try again later.';
  return new DomainError('PLATFORM_UNAVAILABLE', message, { details: { reason: 'empty-profile', platform } });
}

/** Tells how many milliseconds of the call are left, however the clock is set meanwhile. */
function timeLeft(call: PlatformCallOptions | undefined, clock: Clock): () => number {
  if (call?.deadline === undefined) return () => Number.POSITIVE_INFINITY;
  const end = monotonicMs(clock) + call.deadline.getTime() - clock.now().getTime();
  return () => Math.max(0, end - monotonicMs(clock));
}

function withShare(
  call: PlatformCallOptions | undefined,
  shareMs: number,
  clock: Clock,
): PlatformCallOptions | undefined {
  if (call?.deadline === undefined) return call;
  return { ...call, deadline: new Date(clock.now().getTime() + shareMs) };
}

function summary(failures: readonly Failure[]): DomainError {
  const supported = failures.filter(({ error }) => error.code !== 'NOT_SUPPORTED');
  const told = supported.find(({ error }) => isTransient(error)) ?? supported[0] ?? (failures[0] as Failure);
  const others = failures.filter((failure) => failure !== told);
  if (others.length === 0) return told.error;
  const waits = failures.flatMap(({ error }) => error.retryAfterSeconds ?? []);
  const { code, message, details } = told.error;
  return new DomainError(code, message, {
    details: {
      ...details,
      source: told.source,
      also: others.map(({ source, error }) => ({ source, code: error.code, reason: error.details?.reason })),
    },
    cause: told.error,
    ...(waits.length === 0 ? {} : { retryAfterSeconds: Math.min(...waits) }),
  });
}
