/** What benchmarks share: processes of their own, servers, and stored data that is the same in every run. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoMemoryServer } from 'mongodb-memory-server';
import { createMongoStorage } from '../../adapters/mongodb/index.ts';
import { createPostgresStorage } from '../../adapters/postgres/index.ts';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import type { CommentRules } from '../../core/engagement/campaigns/terms.ts';
import type { NewComment } from '../../core/engagement/challenge-data/comment.ts';
import type { LinkedCreator } from '../../core/engagement/creators/creator.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createPlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { newCampaign, newChallenge } from '../contract/storage/samples.ts';
import { startChild as startProcess } from '../support/child-host.ts';
import { newFolder } from '../support/new-folder.ts';
import { startPostgres } from '../support/postgres-server.ts';
import type { BenchContext, BenchRow } from './measure.ts';

export interface Child<T> extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly ready: T;
}

/**
 * Starts a module of this folder and waits for its first message, which says that it is ready. It ends when it is disposed
 * of, and by itself when this process is gone.
 */
export async function startChild<T>(module: URL, setup: unknown): Promise<Child<T>> {
  const env = { TMPDIR: tmpdir() };
  const child = startProcess({ script: fileURLToPath(module), args: [JSON.stringify(setup)], env, ipc: true });
  const ended = child.exit().then((code) => {
    throw new Error(`${module.pathname} ended with ${code}: ${child.stdout()}${child.stderr()}`);
  });
  ended.catch(() => undefined);
  const [ready] = await Promise.race([once(child.process, 'message'), ended]);
  const stop = async () => void (await child.stop('SIGKILL'));
  return { process: child.process, ready: ready as T, [Symbol.asyncDispose]: stop };
}

export interface SimulatorSetup {
  readonly posts: number;
  /** Of each post. */
  readonly comments: number;
  /** So many more comments, one each by the handles of `handleOf`; none by default. */
  readonly authors?: number;
  /** How long a page of comments takes; at once by default. */
  readonly latencyMs?: number;
}

export interface SimulatorReady {
  readonly baseUrl: string;
  readonly instagramBaseUrl: string;
  readonly urls: readonly string[];
}

/** The simulator in a process of its own, so that load and what is measured do not share an event loop. */
export const startSimulator = (setup: SimulatorSetup) => startChild<SimulatorReady>(new URL(import.meta.url), setup);

/** An empty database, opened. */
export interface Place extends AsyncDisposable {
  readonly url: string;
  readonly storage: Storage;
}

export async function sqlitePlace(): Promise<Place> {
  const directory = newFolder();
  const path = join(directory, 'credence.db');
  const storage = createSqliteStorage({ path });
  await storage.open();
  return {
    url: `sqlite:${path}`,
    storage,
    async [Symbol.asyncDispose]() {
      await storage.close();
    },
  };
}

/** On a server of its own, as the next one. */
async function mongoPlace(): Promise<Place> {
  process.env.MONGOMS_RUNTIME_DOWNLOAD ??= 'false';
  const server = await MongoMemoryServer.create().catch((error: Error) => {
    throw new NoServer('there is no mongod: name one in MONGOMS_SYSTEM_BINARY', { cause: error });
  });
  const url = server.getUri('bench');
  const storage = createMongoStorage({ url });
  await storage.open();
  return {
    url,
    storage,
    async [Symbol.asyncDispose]() {
      await storage.close();
      await server.stop();
    },
  };
}

async function postgresPlace(): Promise<Place> {
  const directory = newFolder();
  // Its user has to get through.
  await chmod(directory, 0o755);
  const server = await startPostgres(join(directory, 'postgres')).catch((error: Error) => {
    throw new NoServer(error.message, { cause: error });
  });
  const storage = createPostgresStorage({ url: server.url });
  await storage.open();
  return {
    url: server.url,
    storage,
    async [Symbol.asyncDispose]() {
      await storage.close();
      await server.stop();
    },
  };
}

class NoServer extends Error {}

const PLACES = { SQLite: sqlitePlace, PostgreSQL: postgresPlace, MongoDB: mongoPlace };
export type StorageName = keyof typeof PLACES;

/** Measures each storage that this machine has; in quick runs SQLite alone, since tests show that the others work. */
export async function onEachStorage(
  { quick, progress, skip }: BenchContext,
  measure: (name: StorageName, open: () => Promise<Place>) => Promise<readonly BenchRow[]>,
): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [name, open] of Object.entries(quick ? { SQLite: sqlitePlace } : PLACES)) {
    progress(name);
    try {
      rows.push(...(await measure(name as StorageName, open)));
    } catch (error) {
      if (!(error instanceof NoServer)) throw error;
      skip(name, error.message);
    }
  }
  return rows;
}

const START = Date.parse('2026-03-01T12:00:00Z');
const POST_URL = 'https://www.tiktok.com/@northtrail/video/7400000000000000001';

export const handleOf = (index: number): string => `person.${index.toString(36)}`;

export function postOf(url: string): PostRef {
  return { platform: 'tiktok', contentType: 'post', contentId: url.split('/').at(-1) ?? '', canonicalUrl: url };
}

export async function storeCampaign(storage: Storage, postUrl = POST_URL, rules: CommentRules | null = null) {
  const campaign = newCampaign({ title: 'Spring launch', createdAt: new Date(START) });
  return storage.campaigns.create(campaign, newChallenge({ ...postOf(postUrl), ...(rules && { rules }) }));
}

/** Calls `store` with so many indexes at a time. */
async function inBatches(count: number, together: number, store: (indexes: readonly number[]) => Promise<unknown>) {
  for (let from = 0; from < count; from += together) {
    await store(Array.from({ length: Math.min(together, count - from) }, (_, index) => from + index));
  }
}

/** All comments of the simulator, and those of `storeComments`, meet them. */
export const RULES: CommentRules = { words: { none: ['giveaway', 'follow back'] }, minWords: 1, notOnlyEmoji: true };

export async function storeComments(storage: Storage, challengeId: number, count: number): Promise<void> {
  const commentOf = (index: number): NewComment => ({
    platformCommentId: String(7_000_000_000_000_000 + index),
    username: handleOf(index),
    commentText: `Comment number ${index}: this looks great, count me in! 🎉 #trailday`,
    commentedAt: new Date(START + index * 1_000),
  });
  await inBatches(count, 5_000, (indexes) =>
    storage.comments.insertNew(challengeId, indexes.map(commentOf), new Date(START)),
  );
}

/** Creators with a linked handle each. */
export async function storeCreators(storage: Storage, count: number, handle: (index: number) => string = handleOf) {
  const links: LinkedCreator[] = [];
  const link = async (index: number) => {
    links[index] = await storage.creators.link({
      externalId: `creator-${index}`,
      email: `creator-${index}@creators.invalid`,
      displayName: null,
      platform: 'tiktok',
      handle: handle(index),
      profileData: {},
      ownershipProven: false,
      now: new Date(START),
    });
  };
  await inBatches(count, 1_000, (indexes) => Promise.all(indexes.map(link)));
  return links;
}

/** TikTok posts to read. */
async function simulate({ posts, comments, authors = 0, latencyMs }: SimulatorSetup): Promise<void> {
  const world = createWorld('bench');
  if (latencyMs !== undefined) {
    world.failures.add({ platform: 'tiktok', endpoint: 'comments', shape: 'slow', latencyMs });
  }
  const placed = Array.from({ length: authors }, (_, index) => ({ handle: handleOf(index) }));
  const input = { platform: 'tiktok', owner: 'northtrail', comments, placed } as const;
  const urls = Array.from({ length: posts }, () => world.addPost(input).url);
  const simulator = await createPlatformSimulator({ world });
  const { tiktokBaseUrl: baseUrl, instagramBaseUrl } = simulator;
  const ready: SimulatorReady = { baseUrl, instagramBaseUrl, urls };
  process.send?.(ready);
  process.once('disconnect', () => process.exit());
}

if (import.meta.main) await simulate(JSON.parse(process.argv[2] ?? ''));
