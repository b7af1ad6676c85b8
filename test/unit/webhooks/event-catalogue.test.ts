import { describe, expect, it } from 'vitest';
import type { Creator, SocialAccount } from '../../../core/engagement/creators/creator.ts';
import { eventBody, testEventBody } from '../../../core/engagement/webhooks/event-body.ts';
import { ATTEMPT_EVENT_NAMES, PLATFORM_EVENT_NAMES, TEST_EVENT } from '../../../core/engagement/webhooks/outbox.ts';
import { WEBHOOK_BODIES } from '../../../plugins/http/webhook-events.ts';
import { announced } from '../../contract/storage/samples.ts';
import { sampleEvent } from './support.ts';

const { commentText: _comment, ...data } = sampleEvent(1).data;

const account = { id: 9, platform: 'tiktok', platformUsername: 'anna' } as SocialAccount;
const sampleLink = { creator: { id: 2, externalId: 'ext' } as Creator, account };

/** A parsed body has its timestamp as a date. */
const asSent = (parsed: unknown) => JSON.parse(JSON.stringify(parsed));

describe('event catalogue', () => {
  it('describes every body that is sent', () => {
    const extras = {
      'creator.verified': { commentText: 'x' },
      'reward.issued': { points: 5 },
      'verification.failed': { reason: 'terminal' as const },
      'engagement.removed': { commentText: 'x', removal: 'hidden' as const },
      'reward.reversed': { points: 5 },
    };
    for (const event of ATTEMPT_EVENT_NAMES) {
      const body = JSON.parse(eventBody(sampleEvent(1, { event, data: { ...data, ...extras[event] } })));
      expect(asSent(WEBHOOK_BODIES[event].parse(body))).toEqual(body);
    }
    const canary = { platform: 'tiktok', canary: 'tiktok:nasa', missing: [] };
    const endings = { verdict: 'ok', troubledSince: '2026-11-01T08:00:00.000Z' } as const;
    for (const event of PLATFORM_EVENT_NAMES) {
      const extra =
        event === 'platform.recovered' ? endings : { verdict: 'failed' as const, error: 'PLATFORM_TIMEOUT' };
      const timestamp = new Date('2026-11-01T09:29:59Z');
      const body = JSON.parse(eventBody({ event, timestamp, brandId: null, data: { ...canary, ...extra } }));
      expect(asSent(WEBHOOK_BODIES[event].parse(body))).toEqual(body);
    }
    const lost = { connectionId: 3, platform: 'tiktok', handle: 'acme', reason: 'scope' } as const;
    const expired = JSON.parse(
      eventBody({ event: 'connection.expired', timestamp: new Date(), brandId: 1, data: lost }),
    );
    expect(asSent(WEBHOOK_BODIES['connection.expired'].parse(expired))).toEqual(expired);
    const connected = JSON.parse(eventBody(announced(sampleLink).event));
    expect(asSent(WEBHOOK_BODIES['account.connected'].parse(connected))).toEqual(connected);
    const test = JSON.parse(testEventBody({ id: 1, brandId: 2 }, new Date()));
    expect(asSent(WEBHOOK_BODIES[TEST_EVENT].parse(test))).toEqual(test);
  });
});
