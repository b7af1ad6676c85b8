import { describe, expect, it } from 'vitest';
import {
  CLAIM_KEY,
  DTSG_KEY,
  forgetTokens,
  learnClaim,
  learnTokens,
  STALE_KEY,
  TOKEN_KEY,
} from '../../../adapters/instagram/tokens.ts';
import { answer, visitor } from '../scraping/answer.ts';

function learned(html: string): Record<string, string> {
  const identity = visitor();
  learnTokens(html, identity);
  return Object.fromEntries(identity.memory);
}

const lsd = (token: string) => `["LSD",[],{"token":"${token}"},323]`;
const dtsg = (token: string) => `["DTSGInitialData",[],{"token":"${token}"},258]`;
const eqmc = (value: unknown, id = '__eqmc') =>
  `<script type="application/json" id="${id}">${JSON.stringify(value)}</script>`;

describe('the tokens of a page', () => {
  it('are those of its scripts', () => {
    expect(learned(`x${lsd('AbC-1_.:')}y${dtsg('NAcM:7')}z`)).toEqual({
      [TOKEN_KEY]: 'AbC-1_.:',
      [DTSG_KEY]: 'NAcM:7',
    });
  });

  it('are those of its data if the scripts have none', () => {
    const data = eqmc({ u: '/x', a: { l: 'lsd1' }, f: 'dtsg1' });
    expect(learned(eqmc({ l: 'no' }, 'other') + data)).toEqual({ [TOKEN_KEY]: 'lsd1', [DTSG_KEY]: 'dtsg1' });
    expect(learned(lsd('first') + data)).toMatchObject({ [TOKEN_KEY]: 'first' });
    expect(learned(eqmc({ a: { l: 5 }, b: { l: 'a b' }, c: { l: 'good' } }))).toEqual({ [TOKEN_KEY]: 'good' });
  });

  it.each(['', 'a b', '<x>', 'x'.repeat(201), 'ä'])('are none if they read %j', (token) => {
    expect(learned(lsd(token) + dtsg(token) + eqmc({ l: token }))).toEqual({});
  });

  it('may have 200 characters', () => {
    expect(learned(lsd('x'.repeat(200)))).toEqual({ [TOKEN_KEY]: 'x'.repeat(200) });
  });

  it('stay as they are when a page has none', () => {
    const identity = visitor();
    learnTokens(lsd('a') + dtsg('b'), identity);
    learnTokens('<html></html>', identity);
    expect(Object.fromEntries(identity.memory)).toEqual({ [TOKEN_KEY]: 'a', [DTSG_KEY]: 'b' });
  });

  it('are forgotten when they are refused', () => {
    const identity = visitor();
    learnTokens(lsd('a') + dtsg('b'), identity);
    forgetTokens(identity);
    expect(Object.fromEntries(identity.memory)).toEqual({ [STALE_KEY]: '1' });
  });
});

describe('the claim of an answer', () => {
  const claimOf = (claim?: string) => {
    const identity = visitor();
    learnClaim(answer(claim === undefined ? {} : { headers: { 'x-ig-set-www-claim': claim } }), identity);
    return identity.memory.get(CLAIM_KEY);
  };

  it('is kept if a header can carry it', () => {
    expect(claimOf('hmac.AR3')).toBe('hmac.AR3');
    expect(claimOf('x'.repeat(512))).toHaveLength(512);
  });

  it.each([undefined, '', 'a b', 'a\n', '\u007f', 'x'.repeat(513)])('is not kept if it reads %j', (claim) => {
    expect(claimOf(claim)).toBeUndefined();
  });
});
