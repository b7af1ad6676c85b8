import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConnection } from '../../../adapters/sqlite/database.ts';
import { createJobStore } from '../../../adapters/sqlite/job-store.ts';
import { type WatchedConnection, watchedConnection } from '../../support/queries/watched-connection.ts';

const NOW = new Date(1_700_000_000_000);
const LATER = new Date(NOW.getTime() + 60_000);

let connection: WatchedConnection;

beforeEach(async () => {
  connection = watchedConnection(createConnection({ path: ':memory:', busyTimeoutMs: 1_000 }));
  await connection.open();
});
afterEach(() => connection.close());

describe('leases of many jobs', () => {
  it('are lengthened and recounted in pieces, with one statement for each', async () => {
    const store = createJobStore(connection);
    const jobs = Array.from({ length: 600 }, (_, id) => ({
      type: 'deliver-webhook' as const,
      key: `deliver:${id}`,
      payload: { deliveryId: id },
    }));
    const limits = new Map([['deliver-webhook' as const, 600]]);
    const claimed = await store.enqueue(jobs, NOW, { limits, leaseUntil: LATER });
    const [lost, ...held] = claimed;
    if (lost === undefined) throw new Error('unreachable');
    const given = [{ ...lost, lease: 0 }, ...held.toReversed()];
    for (const change of [() => store.extend(given, LATER), () => store.recount(given, -1)]) {
      const before = connection.works.length;
      expect(await change()).toEqual(held.toReversed().map(({ id }) => id));
      const works = connection.works.slice(before);
      expect(works.map((statements) => statements.map(({ rows }) => rows))).toEqual([[255], [256], [88]]);
    }
  });
});
