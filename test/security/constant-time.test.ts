/**
 * Comparisons of secrets take a time that tells nothing. Timing itself is not measured here, since a test that does fails by
 * chance. What is checked is that every character is looked at, and that nothing compares secrets in another way.
 */
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { authenticate } from '../../core/access/manage-tokens.ts';
import {
  serviceSignature,
  standardSignature,
  verifyServiceSignature,
  verifyStandardSignature,
} from '../../core/engagement/webhooks/signature.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { equalText } from '../../core/security/constant-time.ts';
import { hashToken } from '../../core/security/token-hash.ts';
import { neighboursOf } from '../support/neighbours.ts';

const root = resolve(import.meta.dirname, '../..');

describe('comparisons', () => {
  it('look at every character, wherever the first difference is', () => {
    const read = vi.spyOn(String.prototype, 'charCodeAt');
    const secret = 'k'.repeat(64);
    for (const guess of [secret, `x${'k'.repeat(63)}`, `${'k'.repeat(63)}x`]) {
      read.mockClear();
      expect(equalText(guess, secret)).toBe(guess === secret);
      expect(read.mock.calls.length).toBeGreaterThanOrEqual(128);
    }
    read.mockRestore();
  });

  it('tell apart what differs in one bit, in length, or in nothing one sees', () => {
    expect(equalText('abc', 'abc')).toBe(true);
    for (const other of ['abd', 'ab', 'abcd', '', 'ABC', 'abc\u0000', 'a\u0301bc'])
      expect(equalText('abc', other)).toBe(false);
  });

  it('of signatures refuse every neighbour of the right one', () => {
    const secret = 'whsec_QUJDRA==';
    const own = serviceSignature(secret, 'x');
    const standard = { id: 'msg_1', timestamp: '1793525400' };
    const of = standardSignature(secret, standard.id, Number(standard.timestamp), 'x');
    const now = new Date(1_793_525_400_000);
    const isOwn = (signature: string | undefined) => verifyServiceSignature(secret, signature, 'x');
    const isStandard = (signature: string | undefined) =>
      verifyStandardSignature(secret, { ...standard, signature }, 'x', now);
    for (const [accepts, right] of [[isOwn, own] as const, [isStandard, of] as const]) {
      const near = neighboursOf(right);
      // Every place changed and cut at: far more than a few samples.
      expect(near.length).toBeGreaterThan(3 * right.length);
      expect(accepts(right)).toBe(true);
      expect([undefined, 'A'.repeat(right.length), ...near].filter(accepts)).toEqual([]);
    }
  });

  it('of tokens are made between hashes: what a storage returns for the wrong one is not believed', async () => {
    const stored = {
      id: 1,
      name: 'x',
      role: 'admin' as const,
      externalId: null,
      hash: hashToken('right'),
      createdAt: new Date(0),
      lastUsedAt: null,
      revokedAt: null,
    };
    const asked: string[] = [];
    const tokens = {
      findByHash: async (hash: string) => {
        asked.push(hash);
        return stored;
      },
    };
    const check = authenticate({ storage: { tokens: tokens as unknown as Storage['tokens'] } });
    expect(await check('right')).toMatchObject({ role: 'admin' });
    expect(await check('wrong')).toBeNull();
    expect(asked).toEqual([hashToken('right'), hashToken('wrong')]);
  });
});

/** Comparisons that name a secret and are none: kinds of signature, absence, lengths. */
const HARMLESS =
  /SIGNATURE\.|signatureAlgorithm|(?:===|!==)\s*(?:undefined|null|''|""|'[a-z-]+'|[0-9]+|true|false)|(?:undefined|null|typeof \w+(?:\.\w+)*)\s*(?:===|!==)|\.length\s*(?:===|!==)/;
const COMPARES_SECRET =
  /(?:\b\w*(?:secret|signature|hmac|bearer|apiKey|adminToken|tokenHash)\w*\b[^=!<>;]{0,40}(?:===|!==)|(?:===|!==)[^=!<>;&|)]{0,40}\b\w*(?:secret|signature|hmac|bearer|apiKey|adminToken|tokenHash)\w*\b)/i;

describe('the source', () => {
  it('compares secrets with the helper only', () => {
    const files = globSync('{core,adapters,plugins,hosts/standalone}/**/*.ts', { cwd: root });
    expect(files.length).toBeGreaterThan(200);
    const suspicious = files.flatMap((file) =>
      readFileSync(resolve(root, file), 'utf8')
        .split('\n')
        .map((line, index) => ({ place: `${file}:${index + 1}`, line: line.trim() }))
        .filter(({ line }) => !/^(?:\*|\/\/|\/\*)/.test(line) && COMPARES_SECRET.test(line) && !HARMLESS.test(line)),
    );
    expect(suspicious).toEqual([]);
  });

  it.each(['core/engagement/webhooks/signature.ts', 'core/access/manage-tokens.ts'])('%s uses it', (file) => {
    expect(readFileSync(resolve(root, file), 'utf8')).toMatch(/\bequalText\(/);
  });
});
