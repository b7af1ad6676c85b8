import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConnection } from '../../../adapters/sqlite/database.ts';
import { createPages } from '../../../adapters/sqlite/pages.ts';
import { SCHEMA } from '../../../adapters/sqlite/schema.ts';
import { createSubscriberStore } from '../../../adapters/sqlite/subscriber-store.ts';
import { later, newSubscriberDelivery } from '../../contract/storage/samples.ts';
import { stepsOf } from '../../support/queries/sqlite-plans.ts';
import { type WatchedConnection, watchedConnection } from '../../support/queries/watched-connection.ts';

let connection: WatchedConnection;

beforeEach(async () => {
  connection = watchedConnection(createConnection({ path: ':memory:', busyTimeoutMs: 1_000 }));
  await connection.open();
});
afterEach(() => connection.close());

const plans = (texts: readonly string[]) => stepsOf(SCHEMA, texts);

describe('the backlog of an event that no process handles', () => {
  it('is neither read by a claim of other events, nor by the look for what is neglected', async () => {
    const store = createSubscriberStore(connection, createPages(connection));
    await store.subscribe([{ subscriber: 'app', event: '*' }]);
    const unhandled = Array.from({ length: 30 }, () => newSubscriberDelivery('app', { event: 'reward.issued' }));
    await store.createDeliveries([...unhandled, newSubscriberDelivery('app', { nextTryAt: later(5) })]);
    const before = connection.works.length;
    const events = ['verification.failed', 'creator.verified'] as const;
    expect(await store.claim({ subscriber: 'app', events }, 8, later(9), later(60))).toHaveLength(1);
    expect(await store.neglected(later(9))).toEqual([{ subscriber: 'app', event: 'reward.issued' }]);
    const [claim = [], look = []] = connection.works.slice(before);
    expect(claim.map(({ rows }) => rows)).toEqual([0, 1, 1]);
    const [due, , update] = claim.map(({ text }) => text);
    const pending = 'pending_subscriber_deliveries (subscriber=? AND event=? AND next_try_at<?)';
    expect(plans([due ?? ''])).toEqual([`SEARCH subscriber_deliveries USING COVERING INDEX ${pending}`]);
    expect(plans([update ?? ''])[0]).toContain('USING INTEGER PRIMARY KEY');
    expect(plans([look.at(-1)?.text ?? ''])).toEqual([`SEARCH subscriber_deliveries USING COVERING INDEX ${pending}`]);
  });
});
