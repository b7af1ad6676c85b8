/** Whether retention keeps up: how fast it removes deliveries, against how fast they are stored. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMongoStorage } from '../../adapters/mongodb/index.ts';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import type { Delivery } from '../../core/engagement/webhooks/webhook.ts';
import { purgeExpired } from '../../core/maintenance/purge-expired.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { Bench, BenchRow, Unit } from './bench.ts';
import { mongoDatabase } from './mongo.ts';
import { compared, timed } from './rounds.ts';

const PER_SECOND: Unit = { name: 'deliveries/s', better: 'higher' };
const DAY_MS = 24 * 60 * 60 * 1_000;
const TOGETHER = 1_000;
const WEBHOOKS = 20;

export const retentionBench: Bench = {
  name: 'retention',
  title: 'Removing expired deliveries, and storing as many',
  async run({ quick, progress, skip }) {
    progress('SQLite');
    const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
    const rows: BenchRow[] = [];
    try {
      const storage = createSqliteStorage({ path: join(directory, 'credence.db') });
      rows.push(await keepsUp('SQLite', storage, quick ? 1_000 : 100_000));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
    progress('MongoDB');
    await using server = await mongoDatabase();
    if (server.available) {
      rows.push(await keepsUp('MongoDB', createMongoStorage({ url: server.url }), quick ? 1_000 : 20_000));
    } else skip('retention on MongoDB', server.reason);
    return rows;
  },
};

async function keepsUp(name: string, storage: Storage, count: number): Promise<BenchRow> {
  try {
    await storage.open();
    const old = new Date(systemClock.now().getTime() - 100 * DAY_MS);
    const webhooks: number[] = [];
    while (webhooks.length < WEBHOOKS) webhooks.push((await storage.webhooks.create(webhookOf(old))).id);
    const storing = await timed(async () => {
      for (let from = 0; from < count; from += TOGETHER) {
        await storage.deliveries.createMany(
          Array.from({ length: TOGETHER }, (_, index) =>
            deliveryOf(from + index, webhooks[index % WEBHOOKS] as number, old),
          ),
        );
      }
    });
    const purge = purgeExpired({ storage, clock: systemClock, logger: silentLogger, days: 90 });
    const removing = await timed(async () => {
      const removed = await purge();
      if (removed !== count) throw new Error(`${removed} of ${count} deliveries were removed by one call.`);
    });
    return compared(
      {
        name: `${name}: ${count.toLocaleString('en')} deliveries, removed`,
        unit: PER_SECOND,
        reference: 'stored',
        aim: { of: 'figure', atLeast: 2_000 },
      },
      [{ subject: count / (removing / 1_000), reference: count / (storing / 1_000) }],
    );
  } finally {
    await storage.close();
  }
}

function webhookOf(createdAt: Date): Parameters<Storage['webhooks']['create']>[0] {
  return {
    brandId: 1,
    url: 'https://example.com/hook',
    events: ['creator.verified'],
    active: true,
    description: null,
    sealedSecret: 'sealed',
    lastTriggeredAt: null,
    createdAt,
  };
}

function deliveryOf(index: number, webhookId: number, at: Date): Omit<Delivery, 'id'> {
  return {
    messageId: `msg_${index.toString(36).padStart(32, '0')}`,
    webhookId,
    brandId: 1,
    attemptId: index,
    event: 'creator.verified',
    body: JSON.stringify({ event: 'creator.verified', data: { attemptId: index, filling: 'x'.repeat(400) } }),
    status: 'succeeded',
    tries: [{ at, durationMs: 12, status: 200, error: null }],
    nextTryAt: null,
    createdAt: at,
    finishedAt: at,
  };
}
