/** How benchmarks reckon. `.ci/run` runs each of them with tiny sizes, since they rot when nobody runs them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import { type BenchRow, checkRows, MILLISECONDS, reachesAim } from './bench.ts';
import type { HostSetup } from './blocking/protocol.ts';
import { COMMENT_CHALLENGE, commentsStored, LOGGED_SUBSCRIBER, LOGGED_WEBHOOK, seedDatabase } from './blocking/seed.ts';
import { BENCHES } from './registry.ts';
import { compared, fittedExponent, median } from './rounds.ts';
import { requireListed } from './rows.ts';
import { digits, formatTable } from './table.ts';

const ROWS: HostSetup['rows'] = {
  comments: 2_000,
  creators: 600,
  attempts: 400,
  deliveries: 2_000,
  likers: 300,
  campaigns: 10,
  jobs: 100,
  auditEntries: 500,
  subscriberDeliveries: 400,
  backlog: 20,
};
const SETUP: Omit<HostSetup, 'rows'> = {
  tiktokBaseUrl: '',
  instagramBaseUrl: '',
  receiverUrl: 'https://example.com/hook',
  authority: '',
  posts: {
    comments: 'https://www.tiktok.com/@acme/video/7300000000000000001',
    likers: 'https://www.instagram.com/p/C8xample123/',
  },
};

describe('benchmarks', () => {
  it('have the names under which they are found', async () => {
    for (const [name, load] of Object.entries(BENCHES)) expect((await load()).name).toBe(name);
  });

  it('fail when they measure nothing, or no number', () => {
    const row: BenchRow = {
      name: 'row',
      unit: MILLISECONDS,
      figure: 15,
      reference: null,
      ratio: null,
      spread: [15, 15],
    };
    expect(() => checkRows('sweep', [row], [])).not.toThrow();
    expect(() => checkRows('sweep', [], ['MongoDB was skipped'])).not.toThrow();
    expect(() => checkRows('sweep', [], [])).toThrow('sweep');
    expect(() => checkRows('sweep', [{ ...row, figure: Number.NaN }], [])).toThrow('row');
    expect(() => checkRows('sweep', [{ ...row, reference: { name: 'other', figure: 0 } }], [])).toThrow('other');
  });

  it('fail when a list that they read is empty', () => {
    expect(requireListed('GET /list', { data: [1], pagination: { total: 3 } }, 3)).toBe(3);
    expect(requireListed('GET /list', { data: [1, 2] })).toBe(2);
    expect(() => requireListed('GET /list', { data: [], pagination: { total: 3 } })).toThrow('the page is empty');
    expect(() => requireListed('GET /list', { data: [1], pagination: { total: 0 } })).toThrow('the total is 0');
    expect(() => requireListed('GET /list', {})).toThrow('the page is empty');
  });

  it('fill a database as the storage would, for `blocking`', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'credence-bench-'));
    const path = join(folder, 'credence.db');
    const storage = createSqliteStorage({ path });
    try {
      await storage.open();
      await storage.close();
      seedDatabase(path, { ...SETUP, rows: ROWS }, ['one', 'two', 'three']);
      const filled = createSqliteStorage({ path });
      await filled.open();
      const page = { page: 2, limit: 100 };
      expect(await filled.comments.count(COMMENT_CHALLENGE)).toBe(commentsStored(ROWS));
      const totals = await Promise.all([
        filled.comments.page(COMMENT_CHALLENGE, page),
        filled.deliveries.listByWebhook(LOGGED_WEBHOOK, page),
        filled.likers.page(1, page),
        filled.subscribers.listBySubscriber(LOGGED_SUBSCRIBER, page),
        filled.audit.list({}, page),
      ]);
      expect(totals.map(({ items, total }) => [items.length, total])).toEqual([
        [100, 1_900],
        [100, 1_760],
        [100, 300],
        [100, 400],
        [100, 500],
      ]);
      expect(await filled.jobs.stats(new Date())).toMatchObject({ queued: 90, dead: 10 });
      await filled.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('take the median of the rounds, and ratios of what was measured side by side', () => {
    const row = compared({ name: 'row', unit: MILLISECONDS, reference: 'other' }, [
      { subject: 10, reference: 5 },
      { subject: 40, reference: 40 },
      { subject: 30, reference: 10 },
    ]);
    expect(row).toMatchObject({ figure: 30, ratio: 2, spread: [1, 3], reference: { name: 'other', figure: 10 } });
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('fit the exponent of a growth', () => {
    const points = [10, 100, 1_000].map((size) => ({ size, time: 3 * size ** 1.5 }));
    expect(fittedExponent(points)).toBeCloseTo(1.5, 10);
  });

  it('judge ratios, figures and differences', () => {
    const row: BenchRow = {
      name: 'row',
      unit: MILLISECONDS,
      figure: 15,
      reference: { name: 'other', figure: 10 },
      ratio: 1.5,
      spread: [1, 2],
    };
    expect(reachesAim(row)).toBeNull();
    expect(reachesAim({ ...row, aim: { of: 'ratio', atMost: 1.3 } })).toBe(false);
    expect(reachesAim({ ...row, aim: { of: 'ratio', atLeast: 1.3 } })).toBe(true);
    expect(reachesAim({ ...row, aim: { of: 'figure', atMost: 15 } })).toBe(true);
    expect(reachesAim({ ...row, aim: { of: 'difference', atMost: 4 } })).toBe(false);
    expect(formatTable([{ ...row, aim: { of: 'difference', atMost: 4 } }])).toContain('MISSED');
    expect([digits(0.12345), digits(12.345), digits(1234.5)]).toEqual(['0.123', '12.3', '1,235']);
  });
});
