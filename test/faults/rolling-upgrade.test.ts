/** Two versions on one database, as during a rolling upgrade: this one, and the last whose tables or indexes were others. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCHEMA } from '../../adapters/sql/index.ts';
import type * as Storages from '../../plugins/compose/modules/storage.ts';
import { linkInput } from '../contract/storage/samples.ts';
import { availableKinds } from '../support/storage.ts';
import { claim, clientOf, expectAnnounced, expectPoints, expectRewarded, openAttempt, prepareScene } from './claim.ts';
import { turns } from './cluster.ts';
import { killHostsAfterAll, openGround, startStandaloneHost } from './host-process.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FORM = ['adapters/sql/schema.ts', 'adapters/sql/tables.ts', 'adapters/mongodb/indexes.ts'];
const PACKAGE = ['adapters', 'contracts', 'core', 'hosts', 'plugins', 'package.json'];

const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** The commit before the stored form changed last; undefined where its history is not. */
function earlierCommit(): string | undefined {
  try {
    const isChanging = git('status', '--porcelain', '--', ...FORM) !== '';
    return git('rev-parse', '--verify', isChanging ? 'HEAD' : `${git('log', '-1', '--format=%H', '--', ...FORM)}^`);
  } catch {
    return undefined;
  }
}

const commit = earlierCommit();
const skipped = commit === undefined ? ' (SKIPPED: this clone has no history; fetch all of it)' : '';
if (skipped) console.warn(`\n  two versions side by side${skipped}\n`);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credence-earlier-'));
  if (commit === undefined) return;
  execFileSync('git', ['archive', '-o', join(folder, 'all.tar'), commit, ...PACKAGE], { cwd: ROOT });
  await mkdir(join(folder, 'earlier'));
  execFileSync('tar', ['-xf', join(folder, 'all.tar'), '-C', join(folder, 'earlier')]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'earlier', 'node_modules'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
killHostsAfterAll();

/** Each column, constraint and index, with its table. */
function partsOf(schema: string): string[] {
  return schema.split(/;\s*(?=CREATE |$)/).flatMap((statement) => {
    const [, table, body] = /^\s*CREATE TABLE (\w+) \(\n(.*)\n\)/s.exec(statement) ?? [];
    return body === undefined ? [statement.trim()] : body.split(',\n').map((line) => `${table}: ${line.trim()}`);
  });
}

describe.skipIf(commit === undefined)(`two versions side by side${skipped}`, async () => {
  it('keep every column and index, and refuse nothing new in a table that was there', async () => {
    const { SCHEMA: earlier } = (await import(join(folder, 'earlier/adapters/sql/schema.ts'))) as { SCHEMA: string };
    const [before, now] = [partsOf(earlier), partsOf(SCHEMA)];
    expect(now).toEqual(expect.arrayContaining(before));
    const tables = new Set(before.map((part) => part.split(':', 1)[0]));
    const added = now.filter((part) => !before.includes(part) && tables.has(/^\w+(?=:)|(?<= ON )\w+/.exec(part)?.[0]));
    const refusing = /^CREATE UNIQUE|: [A-Z]|UNIQUE|CHECK|REFERENCES|NOT NULL(?!.*DEFAULT)/;
    expect(added.filter((part) => refusing.test(part))).toEqual([]);
  });

  it.concurrent.each(await availableKinds())(
    'serve the same creators on %s, the earlier one before and after the later one',
    async (kind) => {
      const { storageOf } = (await import(
        join(folder, 'earlier/plugins/compose/modules/storage.ts')
      )) as typeof Storages;
      await using ground = await openGround(kind);
      const { simulator, receiver, made, env } = ground;
      const before = storageOf(made.url);
      await before.open();
      await before.creators.link(linkInput({ externalId: 'ext-before' }));
      await before.close();
      const source = ['--conditions=credence-source', join(folder, 'earlier/hosts/standalone/main.ts')];
      const hosts = [await startStandaloneHost(env), await startStandaloneHost(env, source)];
      const handles = ['before', 'both.one', 'both.two', 'both.three', 'both.four'];
      const next = turns(hosts);
      const scene = await prepareScene(next(), simulator.world, receiver, handles);
      const attempts: string[] = [];
      for (const handle of handles) attempts.push(await openAttempt(next(), scene, handle));
      for (const attempt of attempts) await claim(next(), attempt);
      for (const { baseUrl } of hosts) {
        const client = clientOf(baseUrl);
        await Promise.all(attempts.map((attempt) => expectRewarded(client, attempt)));
        await expectPoints(client, scene, handles.length);
        await expectAnnounced(client, scene, receiver, handles.length);
      }
    },
    300_000,
  );
});
