import { bytesToHex } from '@noble/hashes/utils.js';
import type { Clock } from '../../ports/clock.ts';
import type { Refusal } from '../../ports/official-api.ts';
import type { RandomSource } from '../../ports/random-source.ts';
import type { Stores } from '../../ports/storage.ts';
import type { EventEntry } from '../webhooks/outbox.ts';
import type { OutboxRelay } from '../webhooks/outbox-relay.ts';
import type { BrandConnection } from './brand-connection.ts';

export interface EndConnectionDeps extends Stores<'brandConnections'> {
  readonly relay: Pick<OutboxRelay, 'nudge'>;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** A connection that its brand has to make again, and the event that says so, in one write. Nothing if it has changed meanwhile. */
export async function endConnection(
  deps: EndConnectionDeps,
  connection: BrandConnection,
  reason: Refusal,
  message: string,
): Promise<void> {
  const { storage, relay, clock, random } = deps;
  const { id, brandId, platform, handle, lastFailure } = connection;
  const timestamp = clock.now();
  const entry: EventEntry = {
    id: `connection_${bytesToHex(random.bytes(16))}`,
    kind: 'event',
    event: { event: 'connection.expired', timestamp, brandId, data: { connectionId: id, platform, handle, reason } },
  };
  const times = (lastFailure?.times ?? 0) + 1;
  const failure = { at: timestamp, error: 'PLATFORM_UNAVAILABLE', message, times };
  const changes = { status: reason, renewAt: null, lastFailure: failure };
  if ((await storage.brandConnections.update(connection, changes, [entry])) !== null) await relay.nudge();
}
