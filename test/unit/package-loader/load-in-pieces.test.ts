import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadInPieces } from '../../../adapters/package-loader/load-in-pieces.ts';
import { countTurns } from '../../support/turns.ts';

const directory = await mkdtemp(join(tmpdir(), 'credence-pieces-'));
afterAll(() => rm(directory, { recursive: true }));

/** Writes files that say when they run, and loads the first one in both ways. */
async function load(files: Record<string, string>) {
  const ran: { readonly file: string; readonly turn: number }[] = [];
  using turns = countTurns();
  const entry = join(directory, Object.keys(files)[0] ?? '');
  const require = createRequire(entry);
  Object.assign(globalThis, { ranFile: (file: string) => ran.push({ file, turn: turns.soFar() }) });
  for (const [file, code] of Object.entries(files)) {
    await writeFile(join(directory, file), `globalThis.ranFile('${file}');\n${code}`);
  }
  require(entry);
  const order = ran.splice(0).map(({ file }) => file);
  for (const file of Object.keys(files)) delete require.cache[join(directory, file)];
  const outcome = await loadInPieces(entry).catch((error: unknown) => error);
  return { order, ran: ran.splice(0), outcome, whole: () => require(entry), later: ran };
}

it('runs every file once, in a turn of its own and after those that it needs', async () => {
  const { ran, order, whole, later } = await load({
    'entry.js': `const { b } = require('./b.js');\nvar c = require("./c.js")\nexports.sum = b + c.c;`,
    'b.js': `const {\n  d\n} = require('./d.js');\nexports.b = d + 1;`,
    'c.js': `exports.c = require('./d.js').d;`,
    'd.js': `require('node:path');\nexports.d = 1;`,
  });
  expect(ran.map(({ file }) => file)).toEqual(['d.js', 'b.js', 'c.js', 'entry.js']);
  expect(order.toSorted()).toEqual(ran.map(({ file }) => file).toSorted());
  expect(new Set(ran.map(({ turn }) => turn)).size).toBe(4);
  expect(whole()).toEqual({ sum: 3 });
  expect(later).toEqual([]);
});

it('runs files that need each other in the order of require', async () => {
  const { ran, whole } = await load({
    'ring.js': `const one = require('./one.js');\nexports.name = one.name();`,
    'one.js': `const two = require('./two.js');\nexports.name = () => two.name;`,
    'two.js': `const one = require('./one.js');\nexports.name = Object.keys(one).length;`,
  });
  expect(ran.map(({ file }) => file)).toEqual(['one.js', 'two.js', 'ring.js']);
  // The second one sees the first one before it is complete, as with require.
  expect(whole()).toEqual({ name: 0 });
});

it('leaves alone what a file may never need or handles itself if it is missing', async () => {
  const { ran, outcome } = await load({
    'lazy.js': `function later() {\n  require('./never.js');\n}\ntry {\n  require('./missing.js');\n} catch {}\nexports.later = later;`,
    'never.js': `throw new Error('not now');`,
  });
  expect(outcome).toBeUndefined();
  expect(ran.map(({ file }) => file)).toEqual(['lazy.js']);
});

it('rejects if there is no such package', async () => {
  await expect(loadInPieces('credence-has-no-such-package')).rejects.toMatchObject({ code: 'MODULE_NOT_FOUND' });
});
