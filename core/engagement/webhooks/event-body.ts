/** The JSON body of a webhook (docs/specification/engagement.md#events), and how it is read again for subscribers. */
import { type EventName, TEST_EVENT, type WebhookEvent } from './outbox.ts';

/** The event that `eventBody` made a text of. */
export function eventOfBody(body: string, brandId: number | null): WebhookEvent {
  const { event, timestamp, data } = JSON.parse(body) as { event: string; timestamp: string; data: object };
  // Sound: bodies are stored by `eventBody` alone.
  return { event, timestamp: new Date(timestamp), brandId, data } as WebhookEvent;
}

/** The exact text that is stored, signed and sent on every try: fields in the order in which the event was made. */
export function eventBody({ event, timestamp, data }: WebhookEvent): string {
  return JSON.stringify({ event, timestamp: timestamp.toISOString(), data });
}

/** The challenge that a stored body is about; null for test events and those of accounts and platforms. */
export function challengeIdOf({ body }: { readonly body: string }): number | null {
  const { data } = JSON.parse(body) as { readonly data?: { readonly challengeId?: number } };
  return data?.challengeId ?? null;
}

/** An event that did not happen. */
export interface SampleEvent {
  readonly event: EventName;
  readonly data: object;
}

/** The body of a test event: same envelope, data that names the webhook, or those of a sample. */
export function testEventBody(
  webhook: { readonly id: number; readonly brandId: number },
  now: Date,
  sample?: SampleEvent,
): string {
  const { event, data } = sample ?? {
    event: TEST_EVENT,
    data: { webhookId: webhook.id, brandId: webhook.brandId, message: 'This is a test of your webhook.' },
  };
  return JSON.stringify({ event, timestamp: now.toISOString(), data });
}
