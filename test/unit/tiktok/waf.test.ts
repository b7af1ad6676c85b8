import { describe, expect, it } from 'vitest';
import { isWafPage, solveWaf } from '../../../adapters/tiktok/waf.ts';
import { digestOf, wafPage as page, solvable } from './waf-page.ts';

function decoded(value: string | undefined): { d: string; v: unknown; s: unknown } {
  return JSON.parse(Buffer.from(value ?? '', 'base64').toString()) as { d: string; v: unknown; s: unknown };
}

describe('the firewall challenge', () => {
  it.each(['0', '73', '12345'])('is solved by %s', async (number) => {
    const challenge = solvable(number);
    const answer = new Map(await solveWaf(page(challenge)));
    expect([...answer.keys()]).toEqual(['_wafchallengeid', 'waforiginalreid']);
    expect(answer.get('waforiginalreid')).toBe('abc-123');
    expect(decoded(answer.get('_wafchallengeid'))).toEqual({
      ...challenge,
      d: Buffer.from(number).toString('base64'),
    });
  });

  it('is tried up to a million, and lets others run meanwhile', async () => {
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);
    try {
      expect(await solveWaf(page(solvable('1000001')))).toBeNull();
    } finally {
      clearInterval(ticking);
    }
    expect(turns).toBeGreaterThan(10);
  });

  it('is dropped when the caller gives up', async () => {
    expect(await solveWaf(page(solvable('999999')), AbortSignal.abort())).toBeNull();
  });

  it.each([
    ['no JSON', 'x'],
    ['no object', 5],
    ['null', null],
    ['no parts', {}],
    ['a short digest', { v: { a: 'YQ==', c: 'YQ==' } }],
    ['a prefix that is no base64', { v: { a: '<>', c: digestOf('1') } }],
    ['a prefix that is too long', { v: { a: Buffer.alloc(300).toString('base64'), c: digestOf('1') } }],
    ['numbers for texts', { v: { a: 1, c: 2 } }],
  ])('with %s is not solved', async (_name, challenge) => {
    expect(await solveWaf(page(challenge))).toBeNull();
  });

  it('sets no cookies but the firewall’s', async () => {
    const answer = await solveWaf(page(solvable('7'), { wci: 'sessionid', rci: 'ttwid', rs: 'ok' }));
    expect(answer?.map(([name]) => name)).toEqual(['_wafchallengeid', 'waforiginalreid']);
    const injected = await solveWaf(page(solvable('7'), { rs: 'a; Domain=example.com' }));
    expect(injected?.map(([name]) => name)).toEqual(['_wafchallengeid']);
  });

  it('is told from other pages', () => {
    expect(isWafPage(page(solvable('7')))).toBe(true);
    expect(isWafPage('<html><body>Please wait...</body></html>')).toBe(false);
    expect(isWafPage(page(solvable('7')) + ' '.repeat(70_000))).toBe(false);
    expect(isWafPage('id="cs"id="wci"')).toBe(false);
  });
});
