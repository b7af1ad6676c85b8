/** One look at the profile: is the one-time code in its bio? If so, the account is linked with ownership proven. */
import { DomainError, isDomainError } from '../../errors.ts';
import { normaliseHandle } from '../../platforms/handle.ts';
import { type Platforms, platformOf } from '../../platforms/platforms.ts';
import { monotonicMs } from '../../ports/clock.ts';
import type { ConnectionStore } from '../../ports/connection-store.ts';
import type { PlatformCallOptions, PlatformProfile } from '../../ports/platform.ts';
import type { LimitRule } from '../../ports/rate-limiter.ts';
import type { SocialAccount } from '../creators/creator.ts';
import { profileDataOf } from '../creators/profile-data.ts';
import type { Needs } from '../use-case-parts.ts';
import { type ConnectionRequest, noConnectionRequest } from './connection.ts';
import { linkProven } from './link-proven.ts';

/** How the flow stands for the person in front of the page. */
export type ConnectionView =
  | { readonly kind: 'pending' | 'expired' | 'failed'; readonly request: ConnectionRequest }
  | { readonly kind: 'not-found-in-bio'; readonly request: ConnectionRequest; readonly handle: string }
  | { readonly kind: 'connected'; readonly request: ConnectionRequest; readonly account: SocialAccount | null };

export type CheckConnectionDeps = Needs<'connections' | 'creators', 'platforms' | 'clock' | 'limiter' | 'relay'>;

/** Looks of one creator, over all requests: new requests bring no more of them. */
export const CHECKS_PER_CREATOR: LimitRule = { name: 'connect-checks', units: 20, windowSeconds: 600 };

/** What a request looks like now, without touching the platform. @throws DomainError `NOT_FOUND` */
export function viewConnection(deps: Pick<CheckConnectionDeps, 'storage' | 'clock'>) {
  return async (id: string): Promise<ConnectionView> =>
    viewOf(await load(deps.storage.connections, id), deps.clock.now());
}

/**
 * Reads the profile, links the account when the code is in its bio, and announces it (`account.connected`). Every look that reaches
 * the platform counts, no matter who makes it. It is counted before the platform is asked, and given back if that does not happen. A
 * finished request is never replayed.
 * @throws DomainError `NOT_FOUND`, `INVALID_REQUEST` (handle), `CONFLICT` (another look is under way), `SCRAPING_RATE_LIMITED`
 * (too many looks of this creator) and the platform's failures
 */
export function checkConnection(deps: CheckConnectionDeps) {
  const { platforms, clock } = deps;
  const { connections } = deps.storage;
  return async (id: string, givenHandle: string | null, options?: PlatformCallOptions): Promise<ConnectionView> => {
    const request = await load(connections, id);
    const view = viewOf(request, clock.now());
    if (view.kind !== 'pending') return view;
    const handle = handleOf(platforms, request, givenHandle);

    const counted: ConnectionRequest = { ...request, checks: request.checks + 1, revision: request.revision + 1 };
    if (!(await connections.update(request, counted))) {
      throw new DomainError(
        'CONFLICT',
        'Another check of this request is under way: wait for it, then reload the page.',
      );
    }
    const profile = await countedLook(deps, counted, () =>
      platformOf(platforms, request.platform).getProfile(handle, {
        ...options,
        caller: `creator:${request.externalId}`,
      }),
    );
    // The bio of another profile shows nothing, however the platform came to answer with it.
    if (profile === null || normaliseHandle(profile.handle) !== handle || !profile.bio?.includes(request.code)) {
      if (counted.checks < counted.maxChecks) return { kind: 'not-found-in-bio', request: counted, handle };
      const failed: ConnectionRequest = { ...counted, status: 'failed', revision: counted.revision + 1 };
      await connections.update(counted, failed);
      return { kind: 'failed', request: failed };
    }
    const account = await linkProven(deps, request, 'bio_code', {
      handle,
      platformAccountId: profile.accountId,
      displayName: profile.displayName,
      profileData: profileDataOf(profile),
      now: clock.now(),
    });
    const connected = { handle, status: 'connected', accountId: account.id } as const;
    await changeRequest(connections, id, ({ status }) => (status === 'pending' ? connected : null));
    return { kind: 'connected', request: { ...counted, ...connected, revision: counted.revision + 1 }, account };
  };
}

/** A look of a request that has counted it. What does not reach the platform is given back. */
async function countedLook(
  { limiter, clock, storage: { connections } }: CheckConnectionDeps,
  { id, externalId }: ConnectionRequest,
  look: () => Promise<PlatformProfile | null>,
): Promise<PlatformProfile | null> {
  const begun = monotonicMs(clock);
  const { allowed, resetSeconds } = await limiter.consume(CHECKS_PER_CREATOR, externalId, 1);
  if (!allowed) {
    await changeRequest(connections, id, uncounted);
    throw new DomainError('SCRAPING_RATE_LIMITED', 'The profile was checked too often; try again later.', {
      retryAfterSeconds: Math.max(1, Math.ceil(resetSeconds)),
    });
  }
  try {
    return await look();
  } catch (error) {
    if (wasAsked(error)) throw error;
    await changeRequest(connections, id, uncounted);
    // Whole seconds, rounded up: in the last one the window may have ended, and the next one must not get the look.
    if (monotonicMs(clock) - begun < (resetSeconds - 1) * 1_000)
      await limiter.giveBack(CHECKS_PER_CREATOR, externalId, 1);
    throw error;
  }
}

/** Why nothing was sent to the platform, in `details.reason`. */
const NOT_ASKED = new Set<unknown>([
  'circuit-open',
  'session-required',
  'sessions-exhausted',
  'rate-limit-unavailable',
]);

/** Whether the platform may have been asked. A look that a rate limit turned away costs nothing either: nobody can repeat it without end. */
function wasAsked(error: unknown): boolean {
  if (isDomainError(error, 'NOT_SUPPORTED', 'SCRAPING_RATE_LIMITED')) return false;
  const details = isDomainError(error, 'PLATFORM_UNAVAILABLE') ? error.details : undefined;
  // Of a chain of sources, another one may have been asked.
  return !NOT_ASKED.has(details?.reason) || details?.also !== undefined;
}

/** Changes a request as long as there is something to change, whatever others do with it meanwhile. Returns what it is then. */
export async function changeRequest(
  connections: ConnectionStore,
  id: string,
  changesOf: (request: ConnectionRequest) => Partial<ConnectionRequest> | null,
): Promise<ConnectionRequest | null> {
  for (;;) {
    const before = await connections.find(id);
    const changes = before === null ? null : changesOf(before);
    if (before === null || changes === null) return before;
    const after = { ...before, ...changes, revision: before.revision + 1 };
    if (await connections.update(before, after)) return after;
  }
}

const uncounted = ({ status, checks }: ConnectionRequest) => (status === 'pending' ? { checks: checks - 1 } : null);

async function load(connections: ConnectionStore, id: string): Promise<ConnectionRequest> {
  const request = await connections.find(id);
  if (request === null) throw noConnectionRequest();
  return request;
}

function viewOf(request: ConnectionRequest, now: Date): ConnectionView {
  if (request.status === 'connected') return { kind: 'connected', request, account: null };
  if (request.status === 'failed' || request.checks >= request.maxChecks) return { kind: 'failed', request };
  if (request.expiresAt <= now) return { kind: 'expired', request };
  return { kind: 'pending', request };
}

function handleOf(platforms: Platforms, request: ConnectionRequest, given: string | null): string {
  // A handle fixed at the start cannot be swapped on the page.
  const handle = request.handle ?? (given === null ? null : platforms.parseHandle(request.platform, given));
  if (handle === null) {
    throw new DomainError(
      'INVALID_REQUEST',
      `Enter your ${platforms.labelOf(request.platform)} handle, for example @name.`,
    );
  }
  return handle;
}
