/**
 * The one rule for the ids of messages: `webhook-id`, and `messageId` of subscribers. Receivers remember them, so an event has the
 * same id on every try, after every crash and in every redelivery, for every receiver.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { AttemptEvent, OutboxEntry } from './outbox.ts';

/** Separates the id from a suffix that makes each redelivery a delivery of its own. The suffix is never sent. */
const REDELIVERY = '#';

/**
 * Returns the id of an attempt's event, which is also the id of its outbox entry. It follows from the stored attempt, so that a
 * redelivery finds it again. The time tells repeated failures of an attempt apart, and the attempts of several instances.
 */
export function attemptEventId({ event, timestamp, data }: AttemptEvent): string {
  const text = JSON.stringify([event, timestamp.toISOString(), data.challengeId, data.userId, data.attemptId]);
  return bytesToHex(sha256(utf8ToBytes(text)).subarray(0, 16));
}

/** The outbox entry that announces an attempt's event. */
export function attemptEntry(event: AttemptEvent): OutboxEntry {
  return { id: attemptEventId(event), kind: 'event', event };
}

/** The entry id of one redelivery of an event; `id` is unique among its redeliveries. */
export function redeliveryEntryId(event: AttemptEvent, id: string): string {
  return `${attemptEventId(event)}${REDELIVERY}${id}`;
}

/** `Delivery.messageId` of what an outbox entry, or a redelivery, announces. */
export function storedMessageId(entryId: string): string {
  return `msg_${entryId}`;
}

/** How the ids of test deliveries begin, whatever event they are a sample of. */
export const TEST_MESSAGE = 'msg_test_';

/** What receivers get of a stored message id. */
export function sentMessageId(messageId: string): string {
  const [sent = messageId] = messageId.split(REDELIVERY, 1);
  return sent;
}
