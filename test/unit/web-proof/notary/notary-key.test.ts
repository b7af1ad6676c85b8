import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { KeyFileError } from '../../../../adapters/key-file/index.ts';
import { loadNotaryKey, notaryKey } from '../../../../adapters/local-notary/index.ts';

const file = () => join(mkdtempSync(join(tmpdir(), 'credence-key-')), 'sub', 'notary.key');

describe('the notary key', () => {
  it('is made once, readable by its owner only', () => {
    const path = file();
    const first = loadNotaryKey(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(loadNotaryKey(path)).toEqual(first);
    expect(readFileSync(path, 'utf8')).toBe(`${Buffer.from(first.secretKey).toString('hex')}\n`);
    expect(loadNotaryKey(file()).fingerprint).not.toBe(first.fingerprint);
  });

  it('is known by the hash of its compressed point', () => {
    const key = notaryKey(new Uint8Array(32).fill(1));
    expect(Buffer.from(key.publicKey).toString('hex')).toBe(
      '031b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f',
    );
    expect(key.fingerprint).toBe('f1d12012406b87afb27f6dd16ac0a76fcdaa55ed820926232b26f5132dc0cb41');
    expect(key.fingerprint).toBe(Buffer.from(sha256(key.publicKey)).toString('hex'));
  });

  it('is refused when others may read it, or when it is none', () => {
    const path = file();
    loadNotaryKey(path);
    chmodSync(path, 0o644);
    expect(() => loadNotaryKey(path)).toThrow(/chmod 600/);
    chmodSync(path, 0o600);
    for (const text of ['', 'zz', 'ab'.repeat(31), '00'.repeat(32), 'ff'.repeat(32)]) {
      writeFileSync(path, text);
      expect(() => loadNotaryKey(path)).toThrow(KeyFileError);
    }
  });

  it('never is in an error', () => {
    expect(() => notaryKey(new Uint8Array(32).fill(255))).not.toThrow(/ff/);
  });
});
