import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KeyFileError, loadKeyFile } from '../../../adapters/key-file/index.ts';

let directory: string;
let path: string;
const umask = process.umask(0o022);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'credence-key-file-'));
  path = join(directory, 'deep', 'er', 'secrets.key');
});
afterEach(() => {
  process.umask(umask);
  rmSync(directory, { recursive: true, force: true });
});

const generate = () => new Uint8Array(4).fill(7);
const modeOf = (file: string) => statSync(file).mode & 0o777;

it('makes the file and its directories for the owner only, and leaves nothing beside it', () => {
  expect(loadKeyFile({ path, generate })).toEqual(generate());
  expect([modeOf(path), modeOf(dirname(path)), modeOf(join(directory, 'deep'))]).toEqual([0o600, 0o700, 0o700]);
  expect(readdirSync(dirname(path))).toEqual(['secrets.key']);
  expect(loadKeyFile({ path, generate: () => new Uint8Array(4) })).toEqual(generate());
});

it('makes none where one is expected', () => {
  expect(() => loadKeyFile({ path, generate, mayCreate: false })).toThrow(`${path} is missing`);
  expect(readdirSync(directory)).toEqual([]);
});

it('refuses a file of its own that others may read, and what is no key, by name', () => {
  loadKeyFile({ path, generate });
  chmodSync(path, 0o640);
  expect(() => loadKeyFile({ path, generate })).toThrow(`chmod 600 ${path}`);
  chmodSync(path, 0o600);
  writeFileSync(path, 'zz');
  expect(() => loadKeyFile({ path, generate })).toThrow(KeyFileError);
  expect(() => loadKeyFile({ path, generate })).toThrow('8 hex digits');
});

it('refuses what is no regular file at once, without advice about its mode', () => {
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const other of [directory, pipe, '/dev/zero']) {
    expect(() => loadKeyFile({ path: other, generate })).toThrow(
      new KeyFileError(`The key file ${other} is no regular file. Name a file for the key.`),
    );
  }
});

it('names the file that cannot be made or read, and what to do', () => {
  writeFileSync(join(directory, 'deep'), '');
  expect(() => loadKeyFile({ path, generate })).toThrow(
    new KeyFileError(
      `The key file ${path} cannot be created (ENOTDIR). A part of its path is a file: choose another path.`,
    ),
  );
  expect(() => loadKeyFile({ path: directory, generate })).toThrow(KeyFileError);
});
