import { bytesToHex } from '@noble/hashes/utils.js';
import type { Refusal } from '../../ports/official-api.ts';
import type { Needs } from '../use-case-parts.ts';
import type { EventEntry } from '../webhooks/outbox.ts';
import type { BrandConnection } from './brand-connection.ts';

export type EndConnectionDeps = Needs<'brandConnections', 'relay' | 'clock' | 'random'>;

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
