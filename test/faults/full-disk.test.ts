/** SQLite on a disk that fills up: refusals that say so, nothing corrupted, and work continues when there is space again. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import type { NewJob } from '../../core/ports/job-queue.ts';
import { startInstance } from '../support/instance.ts';
import { inDatabase } from '../support/postgres.ts';
import { createTestStorage, onPostgres } from '../support/storage.ts';
import { claim, expectAnnounced, expectPoints, expectRewarded, openAttempt, prepareScene } from './claim.ts';

/** A small file system of its own; undefined where this process may not mount one. */
async function mountSmallDisk(size: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'credence-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
}

async function unmount(folder: string): Promise<void> {
  execFileSync('umount', [folder], { stdio: 'ignore' });
  await rm(folder, { recursive: true, force: true });
}

/** Takes all the space that is left, to the last byte. */
async function fill(file: string): Promise<void> {
  for (let size = 256 * 1024; size >= 1; ) {
    try {
      await appendFile(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      size = Math.floor(size / 2);
    }
  }
}

/** A database of the server of this run whose tables are in the folder; the log of the server is not. */
async function openDatabaseIn(folder: string) {
  const { url } = await createTestStorage('postgres');
  const name = `full_${randomUUID().replaceAll('-', '')}`;
  execFileSync('chown', ['postgres', folder]);
  await inDatabase(url, `CREATE TABLESPACE ${name} LOCATION '${folder}'`);
  await inDatabase(url, `CREATE DATABASE ${name} TABLESPACE ${name}`);
  return {
    url: new URL(name, url).href,
    async drop() {
      await inDatabase(url, `DROP DATABASE ${name}`);
      await inDatabase(url, `DROP TABLESPACE ${name}`);
    },
  };
}

const disk = await mountSmallDisk('4m');
const skipped = disk ? '' : ' (SKIPPED: this user may not mount a tmpfs)';
if (!disk) console.warn(`\n  on a full disk${skipped}\n`);

afterAll(async () => {
  if (disk) await unmount(disk);
});

/** Creators claim while the disk is full, and what was accepted is rewarded when there is space. */
async function fillAndFree(storageUrl: string, filler: string): Promise<void> {
  await using instance = await startInstance({ storageUrl, config: { jobs: { leaseSeconds: 1 } } });
  const { api, receiver, world } = instance;
  const handles = ['full.ada', 'full.ben', 'full.cleo'];
  const scene = await prepareScene(api, world, receiver, handles);
  const attempts = await Promise.all(handles.map((handle) => openAttempt(api, scene, handle)));
  await fill(filler);

  // Small writes may still fit into what the journal or a page holds already.
  const answers: string[] = [];
  for (let count = 0; count < 500 && !answers.at(-1)?.startsWith('503'); count += 1) {
    const body = { name: 'x'.repeat(200), slug: `brand-${count}` };
    const answer = await api.call('POST', '/admin/brands', { body });
    answers.push([answer.status, answer.json.error?.code ?? ''].join(' '));
    if (answer.status === 503) expect(answer.text).toMatch(/full/i);
  }
  expect(answers.at(-1)).toBe('503 SERVICE_UNAVAILABLE');
  expect(new Set(answers.slice(0, -1))).toEqual(new Set(answers.length > 1 ? ['201 '] : []));
  for (const attempt of attempts) {
    const answer = await api.call('PATCH', attempt, { body: { action: 'claim_completion' } });
    expect([200, 503], answer.text).toContain(answer.status);
  }
  expect((await api.call('GET', '/campaigns')).status).toBe(200);
  for (const attempt of attempts) expect((await api.call('GET', attempt)).status).toBe(200);

  await rm(filler);
  const { json } = await api.call('GET', '/admin/brands');
  expect(json.data, 'what was answered is there, what was refused is not').toHaveLength(answers.length);
  await Promise.all(attempts.map((attempt) => claim(api, attempt)));
  await Promise.all(attempts.map((attempt) => expectRewarded(api, attempt)));
  await expectPoints(api, scene, handles.length);
  await expectAnnounced(api, scene, receiver, handles.length);
}

describe.skipIf(disk === undefined)(`PostgreSQL on a full disk${skipped}`, () =>
  onPostgres(() => {
    it('refuses writes cleanly, still reads, and continues when there is space', async () => {
      const folder = (await mountSmallDisk('24m')) ?? '';
      const database = await openDatabaseIn(folder);
      const filler = join(folder, 'filler');
      try {
        await fillAndFree(database.url, filler);
      } finally {
        // Else the server cannot write its pages, and other tests fail too.
        await rm(filler, { force: true });
        await database.drop();
        await unmount(folder);
      }
    }, 120_000);
  }),
);

describe.skipIf(disk === undefined)(`SQLite on a full disk${skipped}`, () => {
  it('refuses writes cleanly, still reads, and continues when there is space', async () => {
    const path = join(disk ?? '', 'credence.db');
    await fillAndFree(`sqlite:${path}`, join(disk ?? '', 'filler'));
    const database = new Database(path, { readonly: true });
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    database.close();
  }, 120_000);

  it('is not filled by the write-ahead log', async () => {
    const storage = createSqliteStorage({ path: join(disk ?? '', 'log.db') });
    const now = new Date();
    const until = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
    const claimAll = async (type: NewJob['type'], count: number) => {
      const payload = { attemptId: 1, filling: 'x'.repeat(1_500) };
      const keys = Array.from({ length: count }, (_, index) => `${type}:${index}`);
      await storage.jobs.enqueue(
        keys.map((key): NewJob => ({ type, key, payload })),
        now,
      );
      return storage.jobs.claim([type], count, now, until(1));
    };
    await storage.open();
    try {
      const jobs = await claimAll('verify-attempt', 200);
      // Pages that the file has and does not use: it need not grow.
      await Promise.all((await claimAll('issue-reward', 50)).map((job) => storage.jobs.complete(job)));
      await storage.close();
      await storage.open();
      for (let minutes = 2; minutes < 60; minutes += 1) {
        expect(await storage.jobs.extend(jobs, until(minutes))).toHaveLength(jobs.length);
      }
    } finally {
      await storage.close();
    }
  }, 120_000);
});
