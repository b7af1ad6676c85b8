/** How verify-and-reward grows: the time per creator, against the same use case at its smallest. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLeasedJobQueue } from '../../adapters/leased-jobs/index.ts';
import { createMongoStorage } from '../../adapters/mongodb/index.ts';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import { verifyAndReward } from '../../core/engagement/attempts/verify-and-reward.ts';
import { dispatchEvents } from '../../core/engagement/webhooks/dispatch-event.ts';
import { createOutboxRelay } from '../../core/engagement/webhooks/outbox-relay.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { type Bench, type BenchRow, MILLISECONDS, type Unit } from './bench.ts';
import { mongoDatabase } from './mongo.ts';
import { alone, compared, fittedExponent, timed } from './rounds.ts';
import { handleOf, storeCampaign, storeComments } from './seed.ts';

const PER_CREATOR: Unit = { name: 'ms/creator', better: 'lower' };
const EXPONENT: Unit = { name: 'exponent', better: 'lower' };

interface Size {
  readonly comments: number;
  readonly creators: number;
}

export const rewardsBench: Bench = {
  name: 'rewards',
  title:
    'Verify and reward: how the time grows with comments and creators (half of the creators match), and a repetition',
  async run({ quick, progress, skip }) {
    const [few, many] = quick ? [20, 60] : [1_000, 10_000];
    const counts = quick ? [50, 200] : [1_000, 10_000, 100_000];
    const smallest: Size = { comments: counts[0] ?? 0, creators: few };
    const rounds = quick ? 1 : 3;
    const sizes = [few, many].flatMap((creators) => counts.map((comments): Size => ({ comments, creators })));
    const times = new Map<Size, number[]>(sizes.map((size) => [size, []]));
    const references: number[] = [];
    await timeOf(smallest);
    for (let round = 0; round < rounds; round += 1) {
      references.push((await timeOf(smallest)) / smallest.creators);
      for (const size of sizes) {
        progress(`round ${round + 1}: ${size.comments} comments, ${size.creators} creators`);
        times.get(size)?.push(await timeOf(size));
      }
    }
    const rows: BenchRow[] = sizes.map((size) =>
      compared(
        { name: nameOf(size), unit: PER_CREATOR, reference: nameOf(smallest) },
        (times.get(size) ?? []).map((time, round) => ({
          subject: time / size.creators,
          reference: references[round] ?? Number.NaN,
        })),
      ),
    );
    const exponents = Array.from({ length: rounds }, (_, round) =>
      fittedExponent(
        sizes.map((size) => ({ size: size.creators + size.comments, time: times.get(size)?.[round] ?? Number.NaN })),
      ),
    );
    rows.push(
      alone({ name: 'fitted over creators + comments', unit: EXPONENT, aim: { of: 'figure', atMost: 1.1 } }, exponents),
    );
    for (const comments of counts) {
      const figures = Array.from({ length: rounds }, (_, round) =>
        fittedExponent(
          sizes
            .filter((size) => size.comments === comments)
            .map((size) => ({ size: size.creators, time: times.get(size)?.[round] ?? Number.NaN })),
        ),
      );
      rows.push(
        alone(
          {
            name: `over creators, ${comments.toLocaleString('en')} comments`,
            unit: EXPONENT,
            aim: { of: 'figure', atMost: 1.1 },
          },
          figures,
        ),
      );
    }
    const largest: Size = quick ? { comments: 400, creators: 60 } : { comments: 500_000, creators: 50_000 };
    for (const [name, kind] of [
      ['SQLite', 'sqlite'],
      ['MongoDB', 'mongodb'],
    ] as const) {
      progress(`${name}: ${nameOf(largest)}`);
      const times = await timesOf(largest, kind);
      if (typeof times === 'string') {
        skip(`verify-and-reward on ${name}`, times);
        continue;
      }
      const atMost = (milliseconds: number) => ({ of: 'figure', atMost: milliseconds }) as const;
      rows.push(
        alone({ name: `${name}, ${nameOf(largest)}: all`, unit: MILLISECONDS, aim: atMost(10_000) }, [times.first]),
        alone({ name: `${name}, ${nameOf(largest)}: again`, unit: MILLISECONDS, aim: atMost(2_000) }, [times.again]),
      );
    }
    return rows;
  },
};

function nameOf({ comments, creators }: Size): string {
  return `${comments.toLocaleString('en')} comments, ${creators.toLocaleString('en')} creators`;
}

/** Milliseconds of one call on a fresh SQLite file. */
async function timeOf(size: Size): Promise<number> {
  const times = await timesOf(size, 'sqlite');
  return typeof times === 'string' ? Number.NaN : times.first;
}

interface Times {
  readonly first: number;
  /** Of the call that follows, with nothing new. */
  readonly again: number;
}

/** Milliseconds on a fresh database; the reason if there is no server for it. */
async function timesOf(size: Size, kind: 'sqlite' | 'mongodb'): Promise<Times | string> {
  if (kind === 'mongodb') {
    await using database = await mongoDatabase();
    if (!database.available) return database.reason;
    return await timesIn(createMongoStorage({ url: database.url }), size);
  }
  const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
  try {
    return await timesIn(createSqliteStorage({ path: join(directory, 'credence.db') }), size);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function timesIn(storage: Storage, { comments, creators }: Size): Promise<Times> {
  try {
    await storage.open();
    const { campaign, challenge } = await storeCampaign(storage);
    await storeComments(storage, challenge.id, comments);
    const matching = await linkCreators(storage, creators, comments);
    const queue = createLeasedJobQueue({ store: storage.jobs, clock: systemClock, logger: silentLogger });
    const relay = createOutboxRelay({
      attempts: storage.attempts,
      creators: storage.creators,
      queue,
      logger: silentLogger,
      dispatch: dispatchEvents({ storage, queue, clock: systemClock }),
    });
    const verify = verifyAndReward({ storage, relay, clock: systemClock, random: systemRandom });
    const run = (expected: number) =>
      timed(async () => {
        const { matched, rewarded } = await verify({ campaignId: campaign.id });
        if (matched !== expected || rewarded !== expected) {
          throw new Error(`${matched} matched and ${rewarded} rewarded instead of ${expected}.`);
        }
      });
    const first = await run(matching);
    await relay.stop();
    return { first, again: await run(0) };
  } finally {
    await storage.close();
  }
}

/** Every second creator has commented, as far as there are comments. Returns how many have. */
async function linkCreators(storage: Storage, creators: number, comments: number): Promise<number> {
  let matching = 0;
  const link = (index: number) => {
    const commented = index % 2 === 0 && index / 2 < comments;
    if (commented) matching += 1;
    return storage.creators.link({
      externalId: `ext-${index}`,
      email: `ext-${index}@example.com`,
      displayName: null,
      platform: 'tiktok',
      handle: commented ? handleOf(index / 2) : `silent.${index}`,
      profileData: {},
      ownershipProven: false,
      now: new Date('2026-03-01T12:00:00Z'),
    });
  };
  const together = 1_000;
  for (let from = 0; from < creators; from += together) {
    await Promise.all(Array.from({ length: Math.min(together, creators - from) }, (_, index) => link(from + index)));
  }
  return matching;
}
