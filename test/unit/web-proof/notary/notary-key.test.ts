/** That a key file is made once and for its owner only is shown by test/unit/key-file. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KeyFileError } from '../../../../adapters/key-file/index.ts';
import { loadNotaryKey, notaryKey } from '../../../../adapters/local-notary/index.ts';

const file = () => join(mkdtempSync(join(tmpdir(), 'credence-key-')), 'notary.key');

it('is known by the hash of its compressed point, and never is in an error', () => {
  const key = notaryKey(new Uint8Array(32).fill(1));
  expect(Buffer.from(key.publicKey).toString('hex')).toBe(
    '031b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f',
  );
  expect(key.fingerprint).toBe('f1d12012406b87afb27f6dd16ac0a76fcdaa55ed820926232b26f5132dc0cb41');
  expect(() => notaryKey(new Uint8Array(32).fill(255))).toThrow(expect.not.stringMatching(/ff/));
});

it('is another one in each file, and refused if it is no number of the curve', () => {
  const path = file();
  const { secretKey, fingerprint } = loadNotaryKey(path);
  expect(readFileSync(path, 'utf8')).toBe(`${Buffer.from(secretKey).toString('hex')}\n`);
  expect(loadNotaryKey(path).fingerprint).toBe(fingerprint);
  expect(loadNotaryKey(file()).fingerprint).not.toBe(fingerprint);
  for (const text of ['ab'.repeat(31), '00'.repeat(32), 'ff'.repeat(32)]) {
    writeFileSync(path, text);
    expect(() => loadNotaryKey(path)).toThrow(KeyFileError);
  }
});
