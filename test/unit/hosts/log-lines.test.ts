import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gatherLines } from '../../../hosts/standalone/log-lines.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'log-lines-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

it('writes gathered lines in order, once', async () => {
  const path = join(directory, 'log');
  const lines = gatherLines(path);
  // Opening the file takes a moment.
  await expect.poll(() => readFileSync(path, 'utf8')).toBe('');
  lines.write('one\n');
  lines.write('two\n');
  expect(readFileSync(path, 'utf8')).toBe('');
  await expect.poll(() => readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  const large = `${'x'.repeat(70_000)}\n`;
  lines.write(large);
  await expect.poll(() => readFileSync(path, 'utf8')).toBe(`one\ntwo\n${large}`);
  lines.write('three\n');
  lines.flushSync();
  lines.flushSync();
  expect(readFileSync(path, 'utf8')).toBe(`one\ntwo\n${large}three\n`);
});

it('writes what waits when the process crashes', () => {
  const module = new URL('../../../hosts/standalone/logger.ts', import.meta.url).href;
  const script = `const { createLogger } = await import(${JSON.stringify(module)});
    createLogger('info').info({ n: 1 }, 'last words');
    throw new Error('crash');`;
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('"msg":"last words"');
});
