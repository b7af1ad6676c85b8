/**
 * Many posts at once. Results follow the input's order, each post is read once however its URL is
 * spelt. One failure never fails its neighbours, and what is not finished at the deadline is `BATCH_TIMEOUT`.
 */
import { DomainError, isDomainError } from '../errors.ts';
import type { PlatformName } from '../platforms/platform-name.ts';
import { isShortLink } from '../platforms/post-url.ts';
import type { PlatformRegistry } from '../platforms/registry.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import type { PlatformCallOptions, PostDetails } from '../ports/platform.ts';
import type { TaskPool } from '../ports/task-pool.ts';
import { untilAborted } from '../until-aborted.ts';
import type { ReadPost } from './read-post.ts';

export const BATCH_MAX_URLS = 25;
export const BATCH_DEADLINE_MS = 100_000;
/** What a platform is told beyond the deadline: it is the batch that ends a read then, and says so in its own word. */
const DEADLINE_GRACE_MS = 1_000;

export type BatchResult =
  | { readonly url: string; readonly ok: true; readonly post: PostDetails }
  | { readonly url: string; readonly ok: false; readonly error: DomainError };

export interface BatchOutcome {
  readonly results: readonly BatchResult[];
  /** Unique URLs that succeeded before the deadline; what the batch costs. Two spellings of one post are two URLs. */
  readonly billableUnits: number;
}

export interface ReadBatchDeps {
  readonly readPost: ReadPost;
  readonly platforms: PlatformRegistry;
  /**
   * One for each platform: reads wait for a platform's pace inside it, and reads of the others must not wait behind them.
   * Large enough that the pace is asked early: what it refuses is refused at once then.
   */
  readonly pools: ReadonlyMap<PlatformName, TaskPool>;
  /** Milliseconds; `BATCH_DEADLINE_MS` by default. */
  readonly deadlineMs?: number;
  /** The one that the platforms go by. */
  readonly clock?: Clock;
}

export type ReadBatch = (urls: readonly string[], signal?: AbortSignal, caller?: string) => Promise<BatchOutcome>;

/**
 * A read may wait for a platform's pace as long as the batch has time. How long one request to the platform may take is the
 * adapter's own limit, so a platform that hangs is `PLATFORM_TIMEOUT` long before the deadline.
 */
export function readBatch(deps: ReadBatchDeps): ReadBatch {
  const { readPost, platforms, pools, deadlineMs = BATCH_DEADLINE_MS, clock = systemClock } = deps;
  return async (urls, signal, caller) => {
    const timeout = AbortSignal.timeout(deadlineMs);
    const stop = signal ? AbortSignal.any([timeout, signal]) : timeout;
    const deadline = new Date(clock.now().getTime() + deadlineMs + DEADLINE_GRACE_MS);
    const call: PlatformCallOptions = { signal: stop, deadline, ...(caller === undefined ? {} : { caller }) };
    const reads = new Map<string, Promise<PostDetails | DomainError>>();
    const read = async (url: string): Promise<PostDetails> => {
      const platform = platforms.parsePostUrl(url)?.platform;
      const pool = platform && pools.get(platform);
      // Without a platform to ask, it fails at once.
      return pool ? await pool.run(() => readPost(url, call), stop) : await readPost(url, call);
    };
    const resultOf = async (url: string): Promise<BatchResult> => {
      const key = identityOf(platforms, url);
      const reading = reads.get(key) ?? settle(() => read(url), stop);
      reads.set(key, reading);
      const outcome = await reading;
      return isDomainError(outcome)
        ? { url, ok: false, error: outcome }
        : { url, ok: true, post: asNamed(platforms, url, outcome) };
    };
    const results = await Promise.all(urls.map(resultOf));
    return { results, billableUnits: new Set(results.filter(({ ok }) => ok).map(({ url }) => url)).size };
  };
}

/** Two addresses of one post are one read; what is not understood is only equal to itself. */
function identityOf(platforms: PlatformRegistry, url: string): string {
  const parsed = platforms.parsePostUrl(url);
  return parsed === null || isShortLink(parsed) ? url : `${parsed.platform}:${parsed.contentId}`;
}

/** What the URL would give alone: the read may have been begun for another spelling of it. */
function asNamed(platforms: PlatformRegistry, url: string, post: PostDetails): PostDetails {
  const parsed = platforms.parsePostUrl(url);
  // The URL behind a short link is known to its own read only, which no other URL shares.
  if (parsed === null || isShortLink(parsed)) return post;
  return { ...post, postUrl: platforms.shownPostUrl(parsed, post.owner.handle) };
}

/** The post, or its failure as a value; `BATCH_TIMEOUT` as soon as the signal fires, whatever the read still does. */
async function settle(read: () => Promise<PostDetails>, stop: AbortSignal): Promise<PostDetails | DomainError> {
  const late = () => new DomainError('BATCH_TIMEOUT', 'The lookup was not finished at the deadline of the batch.');
  return await untilAborted(read(), stop, late).catch((error: unknown) =>
    isDomainError(error)
      ? error
      : new DomainError('INTERNAL_ERROR', 'Something unexpected failed for this URL.', { cause: error }),
  );
}
