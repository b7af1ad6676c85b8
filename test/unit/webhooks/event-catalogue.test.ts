import { describe, expect, it } from 'vitest';
import { eventBody, testEventBody } from '../../../core/engagement/webhooks/event-body.ts';
import { EVENT_NAMES, TEST_EVENT } from '../../../core/engagement/webhooks/outbox.ts';
import { createOpenApiDocument } from '../../../plugins/http/openapi.ts';
import { WEBHOOK_BODIES, webhookOperations } from '../../../plugins/http/webhook-events.ts';
import { sampleEvent } from './support.ts';

const { commentText: _comment, ...data } = sampleEvent(1).data;

/** A parsed body has its timestamp as a date. */
const asSent = (parsed: unknown) => JSON.parse(JSON.stringify(parsed));

describe('event catalogue', () => {
  it('describes every body that is sent', () => {
    const extras = { 'creator.verified': { commentText: 'x' }, 'reward.issued': { points: 5 } };
    for (const event of EVENT_NAMES) {
      const extra = event === 'verification.failed' ? { reason: 'terminal' as const } : extras[event];
      const body = JSON.parse(eventBody(sampleEvent(1, { event, data: { ...data, ...extra } })));
      expect(asSent(WEBHOOK_BODIES[event].parse(body))).toEqual(body);
    }
    const test = JSON.parse(testEventBody({ id: 1, brandId: 2 }, new Date()));
    expect(asSent(WEBHOOK_BODIES[TEST_EVENT].parse(test))).toEqual(test);
  });

  it('fits into the OpenAPI document', () => {
    const document = createOpenApiDocument([], { version: '1', webhooks: webhookOperations() });
    expect(Object.keys((document as { webhooks: object }).webhooks)).toEqual([...EVENT_NAMES, TEST_EVENT]);
    expect(JSON.stringify(document)).toContain('#/components/schemas/RewardIssuedEvent');
  });
});
