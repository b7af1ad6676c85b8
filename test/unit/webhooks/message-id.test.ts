import { describe, expect, it } from 'vitest';
import { attemptEventId, sentMessageId, storedMessageId } from '../../../core/engagement/webhooks/message-id.ts';
import type { AttemptEvent } from '../../../core/engagement/webhooks/outbox.ts';
import { sampleEvent } from './support.ts';

describe('the id of a message', () => {
  const { data, timestamp } = sampleEvent(1);

  it('follows from the event and its attempt, whatever else became of it', () => {
    const changed = { ...data, campaignTitle: 'Renamed', username: 'other', commentText: 'edited' };
    expect(attemptEventId(sampleEvent(1, { data: changed }))).toBe(attemptEventId(sampleEvent(1)));
  });

  it.each<[string, Partial<AttemptEvent>]>([
    ['event', { event: 'reward.issued' }],
    ['attempt', { data: { ...data, attemptId: 4 } }],
    ['failure of the attempt', { timestamp: new Date(timestamp.getTime() + 1) }],
  ])('is another one for another %s', (_what, changes) => {
    expect(attemptEventId(sampleEvent(1, changes))).not.toBe(attemptEventId(sampleEvent(1)));
  });

  it('of a delivery that an earlier version stored stays as it is', () => {
    for (const id of ['0f', 're_3_0f']) expect(sentMessageId(storedMessageId(id))).toBe(`msg_${id}`);
  });
});
