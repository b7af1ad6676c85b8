import { describe, expect, it } from 'vitest';
import { eventBody, eventOfBody } from '../../../core/engagement/webhooks/event-body.ts';
import type { WebhookEvent } from '../../../core/engagement/webhooks/outbox.ts';

const verified: WebhookEvent = {
  event: 'creator.verified',
  timestamp: new Date('2026-11-01T09:30:00.123Z'),
  brandId: 4,
  data: {
    challengeId: 1,
    userId: 2,
    externalUserId: 'ext-2',
    username: 'anna',
    platform: 'instagram',
    campaignTitle: 'Autumn "26"',
    attemptId: 3,
    commentText: 'toll \u{1F389}\n\u0000',
  },
};

describe('event body', () => {
  it('is read as the event that it was made of', () => {
    const { data } = verified;
    const events: WebhookEvent[] = [
      verified,
      { ...verified, event: 'reward.issued', data: { ...data, platform: 'tiktok', points: 5 } },
      { ...verified, event: 'verification.failed', data: { ...data, reason: 'retryable' } },
      { ...verified, event: 'verification.failed', data: { ...data, reason: 'terminal' } },
    ];
    for (const event of events) {
      expect(eventOfBody(eventBody(event), event.brandId)).toEqual(event);
    }
  });
});
