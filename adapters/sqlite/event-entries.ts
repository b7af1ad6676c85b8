/** Entries of an outbox, which are JSON text with one date in it. */
import type { EventEntry, OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import { fromJson } from './values.ts';

export function toOutboxEntry(text: string): OutboxEntry {
  const entry = fromJson<OutboxEntry>(text);
  return entry.kind === 'event' ? withTime(entry) : entry;
}

export function toEventEntry(text: string): EventEntry {
  return withTime(fromJson<EventEntry>(text));
}

function withTime(entry: EventEntry): EventEntry {
  return { ...entry, event: { ...entry.event, timestamp: new Date(entry.event.timestamp) } };
}
