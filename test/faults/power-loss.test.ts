/**
 * What a host has answered survives a power cut. The host runs with a library that records its writes and flushes. The
 * files are then rebuilt as a disk would hold them that lost everything that was not flushed, or any part of it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundled } from '../support/bundled-host.ts';
import { startChild } from '../support/child-host.ts';
import { createApiClient } from '../support/client.ts';
import { type Entry, filesAfterPowerCut, readRecording } from './power-loss/replay.ts';

const TOKEN = 'an-admin-token-of-the-power-loss-test';
const BURSTS = 6;
const BURST = 3;
const PARTIAL_LOSSES = 2;

const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

function describeWithCompiler(name: string, tests: () => void): void {
  if (hasCompiler) return void describe(name, tests);
  if (process.env.CREDENCE_REQUIRE_CC === '1') {
    it(name, () => expect.unreachable('There is no C compiler, and CREDENCE_REQUIRE_CC=1 asks for it.'));
    return;
  }
  console.warn(`SKIPPED, there is no C compiler (Linux only): ${name}`);
  describe.skip(name, tests);
}

describeWithCompiler('a power cut after an answer', () => {
  let folder: string;
  let entries: readonly Entry[];
  /** Where an answer that names a slug was sent. */
  let answers: readonly { readonly slug: string; readonly index: number }[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'credence-power-loss-'));
    const library = join(folder, 'record.so');
    const source = fileURLToPath(new URL('./power-loss/record.c', import.meta.url));
    const built = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl', '-lpthread']);
    expect(built.status, built.stderr.toString()).toBe(0);
    const recording = join(folder, 'recording');
    await makeBrands({ LD_PRELOAD: library, POWER_LOSS_RECORDING: recording });
    entries = readRecording(recording);
    answers = entries.flatMap((entry, index) => {
      const slug = entry.op === 'answer' ? /"slug":"(cut-\d+)"/.exec(entry.text)?.[1] : undefined;
      return slug === undefined ? [] : [{ slug, index }];
    });
    expect(answers.map(({ slug }) => slug).toSorted()).toEqual(slugs().toSorted());
    // The database itself is written in checkpoints only, and the log then from its beginning again.
    const writes = entries.slice(answers[0]?.index).filter((entry) => entry.op === 'write');
    expect(writes.filter(({ path }) => path.endsWith('.db')).length).toBeGreaterThan(4);
    expect(writes.filter(({ path, offset }) => path.endsWith('-wal') && offset === 0).length).toBeGreaterThan(1);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const slugs = () => Array.from({ length: BURSTS * BURST }, (_, index) => `cut-${index}`);

  async function makeBrands(env: Readonly<Record<string, string>>): Promise<void> {
    const script = await bundled('test/faults/power-loss/host.ts');
    const host = startChild({ script, env: { ...env, DATA_DIR: folder, ADMIN_TOKEN: TOKEN } });
    try {
      const api = createApiClient(await host.ready(), TOKEN);
      for (let burst = 0; burst < BURSTS; burst++) {
        const wanted = slugs().slice(burst * BURST, (burst + 1) * BURST);
        await Promise.all(wanted.map((slug) => api.call('POST', '/admin/brands', { body: { name: slug, slug } })));
      }
    } finally {
      await host.stop('SIGKILL');
    }
  }

  /** The brands in the database that a power cut leaves. */
  function brandsAfterCut(until: number, survives: () => boolean): string[] {
    const cut = mkdtempSync(join(folder, 'cut-'));
    for (const [path, content] of filesAfterPowerCut(entries.slice(0, until), survives)) {
      writeFileSync(join(cut, basename(path)), content);
    }
    const database = new Database(join(cut, 'credence.db'));
    // What is looked at need not survive.
    database.pragma('synchronous = OFF');
    try {
      return database.prepare('SELECT slug FROM brands').pluck().all() as string[];
    } finally {
      database.close();
      rmSync(cut, { recursive: true });
    }
  }

  it('leaves everything that was answered, if what was not flushed is lost', () => {
    answers.forEach(({ index }, count) => {
      const answered = answers.slice(0, count + 1).map(({ slug }) => slug);
      expect(brandsAfterCut(index, () => false)).toEqual(expect.arrayContaining(answered));
    });
  });

  it('leaves everything that was answered, if any part of the rest is lost', () => {
    let state = 1;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state % 2 === 0;
    };
    for (const [count, { index }] of answers.entries()) {
      const answered = answers.slice(0, count + 1).map(({ slug }) => slug);
      for (let loss = 0; loss < PARTIAL_LOSSES; loss++) {
        expect(brandsAfterCut(index, random)).toEqual(expect.arrayContaining(answered));
      }
    }
  });
});
