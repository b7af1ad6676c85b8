/** What the answers to its requests say about a session: whether it is in order, and which endpoints refuse it. */
import type { Logger } from '../../core/ports/logger.ts';
import type { CallTime } from './deadline.ts';
import { endpointOf } from './failures.ts';
import type { ClientIdentity } from './identity.ts';
import type { Retirement, SessionPool } from './session-pool.ts';
import type { ScrapingCall, Verdict } from './types.ts';

export interface SessionHealth {
  /** Notes what an answer to this session says about it. Returns the verdict as it is. */
  note<T>(verdict: Verdict<T>, call: ScrapingCall<T>, identity: ClientIdentity, time: CallTime): Promise<Verdict<T>>;
}

/** Why a session is out of use, and whether that is known for sure. */
interface Why {
  readonly reason: string;
  readonly certainty: 'certain' | 'likely';
}

/** `ask` sends a call once as this identity and at the pace; `witness` is a call that was answered to a session elsewhere. */
export function createSessionHealth(parts: {
  readonly platform: string;
  readonly pool: SessionPool;
  readonly logger: Logger;
  readonly ask: (call: ScrapingCall<unknown>, identity: ClientIdentity, time: CallTime) => Promise<Verdict<unknown>>;
  readonly witness: (except: readonly string[]) => ScrapingCall<unknown> | undefined;
}): SessionHealth {
  const { platform, pool, logger } = parts;

  function retire(label: string, state: Retirement, endpoint: string, why: Why): void {
    const { reason, certainty } = why;
    pool.retire(label, state, certainty);
    const facts = { platform, session: label, state, endpoint, reason, sessions: pool.states() };
    const message = state === 'dead' ? 'A session is logged out: replace it.' : 'A session must pass a check: log in.';
    logger.error(facts, message);
  }

  /**
   * Platforms retire endpoints, and send everybody who asks away from them. So two of them are no proof: a third one that
   * answered before is asked. If no such endpoint is known, the session is likely over, and the next call that asks a third
   * one tells. Null if the session is in order, or nothing is known.
   */
  async function isOver(
    endpoints: readonly string[],
    identity: ClientIdentity,
    time: CallTime,
  ): Promise<Why['certainty'] | null> {
    const call = parts.witness(endpoints);
    if (call === undefined) return 'likely';
    const verdict = await parts.ask(call, identity, time).catch(() => null);
    return verdict?.kind === 'blocked' && verdict.session !== undefined ? 'certain' : null;
  }

  async function sentAway(endpoint: string, reason: string, identity: ClientIdentity, time: CallTime): Promise<void> {
    const { label } = identity;
    const endpoints = pool.sentAway(label, endpoint, reason);
    logger.warn({ platform, session: label, endpoint, reason }, 'An endpoint sends a session away.');
    const certainty = endpoints.length < 2 ? null : await isOver(endpoints, identity, time);
    if (certainty !== null) retire(label, 'dead', endpoint, { reason, certainty });
  }

  return {
    async note(verdict, call, identity, time) {
      if (identity.kind !== 'session') return verdict;
      const { label } = identity;
      const endpoint = endpointOf(call);
      if (verdict.kind === 'ok' || verdict.kind === 'permanent') {
        if (pool.answered(label, endpoint)) logger.info({ platform, session: label }, 'A session works again.');
      } else if (verdict.kind === 'blocked') {
        if (verdict.session === 'sent-away') await sentAway(endpoint, verdict.reason, identity, time);
        else if (verdict.session !== undefined) {
          retire(label, verdict.session, endpoint, { reason: verdict.reason, certainty: 'certain' });
        }
      }
      return verdict;
    },
  };
}
