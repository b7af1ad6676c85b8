/** The identity of logged-out requests, replaced when the platform refuses it. */
import type { RandomSource } from '../../core/ports/random-source.ts';
import { type ClientIdentity, createIdentity } from './identity.ts';
import type { ScrapingTransport } from './types.ts';

export type AnonymousIdentity = ReturnType<typeof createAnonymousIdentity>;

export function createAnonymousIdentity(options: {
  readonly baseUrl: string;
  readonly random: RandomSource;
  readonly transport: ScrapingTransport;
  /** Each identity leaves from an address of its own, so each has a rate of its own. */
  readonly ownAddresses: boolean;
}) {
  let generation = 0;
  let current = create();

  function create(): ClientIdentity {
    generation += 1;
    const key = Buffer.from(options.random.bytes(5)).toString('hex');
    return createIdentity({
      kind: 'anonymous',
      label: `anonymous-${generation}`,
      connectionKey: `a${key}`,
      baseUrl: options.baseUrl,
    });
  }

  /** What pacing goes by. */
  const paceKey = (identity: ClientIdentity): string =>
    identity.kind === 'session' || options.ownAddresses ? identity.label : 'anonymous';

  return {
    current: () => current,
    paceKey,
    /** Replaces `refused` by a new identity on a fresh connection, once, however many callers report it. */
    async rotate(refused: ClientIdentity, forgotten: (paceKey: string) => void): Promise<void> {
      if (refused !== current) return;
      current = create();
      // Without an address of its own the new identity inherits the rate: the platform counts by address.
      if (options.ownAddresses) forgotten(paceKey(refused));
      await options.transport.forget(refused.connectionKey);
    },
  };
}
