/** Many creators claim at once on one post: until all of them are rewarded, against reading and writing the same by hand. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { createMongoStorage } from '../../../adapters/mongodb/index.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { newAttempt } from '../../../core/engagement/attempts/new-attempt.ts';
import type { PostRef } from '../../../core/platforms/post-url.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { type HostProcess, startHostProcess } from '../../load/host-process.ts';
import { type BenchContext, type BenchRow, SECONDS } from '../bench.ts';
import { startChild } from '../child.ts';
import { mongoDatabase } from '../mongo.ts';
import { sideBySide, timed } from '../rounds.ts';
import { handleOf, storeCampaign } from '../seed.ts';
import type { SimulatorReady, SimulatorSetup } from '../simulator.ts';
import { type BareClaims, bareMongo, bareSqlite, claimByHand } from './bare.ts';

/** Of other people, among those of the creators. */
const OTHER_COMMENTS = 2_000;
const CONNECTIONS = 64;
const POLL_MS = 50;

interface Place {
  readonly url: string;
  readonly storage: Storage;
  readonly bare: () => Promise<BareClaims>;
}

export async function claimsAtOnce({ quick, skip, progress }: BenchContext): Promise<readonly BenchRow[]> {
  const creators = quick ? 10 : 2_000;
  const setup: SimulatorSetup = { posts: 1, comments: quick ? 40 : OTHER_COMMENTS, authors: creators };
  await using simulator = await startChild<SimulatorReady>(new URL('../simulator.ts', import.meta.url), setup);
  const rows: BenchRow[] = [];
  const measure = async (
    name: string,
    rounds: number,
    withPlace: (use: (place: Place) => Promise<number>) => Promise<number>,
  ) => {
    progress(`claims at once on ${name}`);
    rows.push(
      await sideBySide({
        name: `${creators.toLocaleString('en')} claims at once on ${name}`,
        unit: SECONDS,
        subject: () => withPlace((place) => byHost(place, simulator.ready, creators)),
        reference: {
          name: 'reading and writing by hand',
          measure: () => withPlace((place) => byHand(place, simulator.ready, creators)),
        },
        rounds,
        aim: { of: 'figure', atMost: 8 },
      }),
    );
  };
  await measure('SQLite', quick ? 1 : 3, onSqlite);
  if (quick) return rows;
  await using server = await mongoDatabase();
  if (server.available) await measure('MongoDB', 1, (use) => onMongo(use));
  else skip('claims at once on MongoDB', server.reason);
  return rows;
}

export async function onSqlite(use: (place: Place) => Promise<number>): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
  const path = join(directory, 'credence.db');
  try {
    return await use({ url: `sqlite:${path}`, storage: createSqliteStorage({ path }), bare: () => bareSqlite(path) });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function onMongo(use: (place: Place) => Promise<number>): Promise<number> {
  await using server = await mongoDatabase();
  if (!server.available) throw new Error(server.reason);
  const { url } = server;
  return await use({ url, storage: createMongoStorage({ url }), bare: () => bareMongo(url) });
}

interface Seeded {
  readonly campaignId: number;
  readonly challengeId: number;
  readonly attemptIds: readonly number[];
}

/** Creators who have commented, each with an attempt that is not claimed yet. */
export async function seed({ storage }: Place, { urls }: SimulatorReady, creators: number): Promise<Seeded> {
  const now = new Date();
  await storage.open();
  try {
    const { campaign, challenge } = await storeCampaign(storage, 'Claims at once', urls[0]);
    const attemptIds: number[] = [];
    const together = 500;
    for (let from = 0; from < creators; from += together) {
      const handles = Array.from({ length: Math.min(together, creators - from) }, (_, index) => handleOf(from + index));
      const links = await Promise.all(
        handles.map((handle) =>
          storage.creators.link({
            externalId: `ext-${handle}`,
            email: `${handle}@example.com`,
            displayName: null,
            platform: 'tiktok',
            handle,
            profileData: {},
            ownershipProven: false,
            now,
          }),
        ),
      );
      const created = await storage.attempts.createMany(
        links.map(({ creator, account }) => ({
          attempt: newAttempt({
            userId: creator.id,
            challengeId: challenge.id,
            username: account.platformUsername,
            now,
          }),
          outbox: () => [],
        })),
      );
      for (const result of created) if (result.kind === 'created') attemptIds.push(result.attempt.id);
    }
    return { campaignId: campaign.id, challengeId: challenge.id, attemptIds };
  } finally {
    await storage.close();
  }
}

interface Summary {
  readonly data: { readonly totalRewarded: number };
}

/** Seconds from the first claim until the last reward. */
async function byHost(place: Place, simulator: SimulatorReady, creators: number): Promise<number> {
  const { campaignId, challengeId, attemptIds } = await seed(place, simulator, creators);
  await using host = await startHostProcess({ TIKTOK_BASE_URL: simulator.baseUrl, STORAGE_URL: place.url });
  const milliseconds = await timed(async () => {
    await claimAll(host, challengeId, attemptIds);
    for (;;) {
      const { data } = await host.call<Summary>('GET', `/admin/campaigns/${campaignId}/summary`);
      if (data.totalRewarded === creators) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  });
  return milliseconds / 1_000;
}

export async function claimAll(host: HostProcess, challengeId: number, attemptIds: readonly number[]): Promise<void> {
  const pool = new Pool(host.baseUrl, { connections: CONNECTIONS });
  const headers = { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ action: 'claim_completion' });
  try {
    await Promise.all(
      attemptIds.map(async (id) => {
        const path = `/admin/challenges/${challengeId}/attempts/${id}`;
        const answer = await pool.request({ method: 'PATCH', path, headers, body });
        if (answer.statusCode !== 200) throw new Error(`A claim was answered with ${answer.statusCode}.`);
        await answer.body.dump();
      }),
    );
  } finally {
    await pool.close();
  }
}

async function byHand(place: Place, simulator: SimulatorReady, creators: number): Promise<number> {
  const { challengeId } = await seed(place, simulator, creators);
  const bare = await place.bare();
  try {
    const milliseconds = await timed(async () => {
      const rewarded = await claimByHand(bare, simulator.baseUrl, postOf(simulator.urls[0] ?? ''), challengeId);
      if (rewarded !== creators) throw new Error(`${rewarded} of ${creators} were rewarded.`);
    });
    return milliseconds / 1_000;
  } finally {
    await bare.close();
  }
}

function postOf(url: string): PostRef {
  return { platform: 'tiktok', contentType: 'post', contentId: url.split('/').at(-1) ?? '', canonicalUrl: url };
}
