import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRetryAfter } from '../../core/retry-after.ts';

const now = new Date('2026-11-01T12:00:00Z');
const DAY = 24 * 3_600_000;

describe('Retry-After', () => {
  it.each([
    [null, null],
    ['', null],
    ['0', 0],
    [' 7 ', 7_000],
    ['007', 7_000],
    ['99999999', DAY],
    ['9'.repeat(15), DAY],
    ['9'.repeat(400), null],
    ['-5', null],
    ['+5', null],
    ['1.5', null],
    ['1e3', null],
    ['0x10', null],
    ['\u0663', null],
    ['Infinity', null],
    ['60, 60', null],
    ['120 seconds', null],
    // `Date.parse` finds a year in these.
    ['later 5', null],
    ['Sun 5', null],
    ['2026', 2_026_000],
  ])('%j is %j', (value, expected) => {
    expect(readRetryAfter(value, now)).toBe(expected);
  });

  it.each([
    ['Sun, 01 Nov 2026 12:02:00 GMT', 120_000],
    ['Sunday, 01-Nov-26 12:02:00 GMT', 120_000],
    ['Sun Nov  1 12:02:00 2026', 120_000],
    ['Tue Nov 10 12:02:00 2026', DAY],
    ['Sun, 1 Nov 2026 12:02:00 UTC', 120_000],
    ['Mon, 02 Nov 2026 11:59:59 GMT', DAY - 1_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', DAY],
    ['Sun, 01 Nov 2026 11:00:00 GMT', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Monday, 01-Nov-76 12:00:00 GMT', DAY],
    ['Monday, 01-Nov-77 12:00:00 GMT', 0],
    ['Friday, 31-Dec-99 12:00:00 GMT', 0],
    ['Sun, 01 Nov 2026 12:02:00', null],
    ['Sun, 01 Nov 2026 12:02:00 +0500', null],
    ['Sun, 01 Nov 2026 12:02:00 EST', null],
    ['Sun, 31 Jun 2026 12:02:00 GMT', null],
    ['Sun, 00 Nov 2026 12:02:00 GMT', null],
    ['Sun, 01 Foo 2026 12:02:00 GMT', null],
    ['Sun, 01 Nov 2026 25:02:00 GMT', null],
    ['Sun, 01 Nov 2026 12:61:00 GMT', null],
    ['2026-11-01T12:02:00Z', null],
    ['Sun, nonsense', null],
  ])('%j is %j', (value, expected) => {
    expect(readRetryAfter(value, now)).toBe(expected);
  });

  it('is in UTC, whatever the time zone of the process', () => {
    const file = resolve(import.meta.dirname, '../../core/retry-after.ts');
    const script = `
      import { readRetryAfter } from ${JSON.stringify(file)};
      const now = new Date('2026-11-01T12:00:00Z');
      console.log(readRetryAfter('Sun Nov  1 12:02:00 2026', now), readRetryAfter('Sunday, 01-Nov-26 12:02:00 GMT', now));
    `;
    const options = { env: { ...process.env, TZ: 'America/New_York' }, encoding: 'utf8' } as const;
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], options);
    expect(printed.trim()).toBe('120000 120000');
  });
});
