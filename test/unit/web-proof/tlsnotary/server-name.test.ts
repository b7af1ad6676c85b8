import { describe, expect, it } from 'vitest';
import { isServerName } from '../../../../core/web-proof/tlsnotary/server-name.ts';

const LABEL = 'a'.repeat(63);
const LONGEST = [LABEL, LABEL, LABEL, 'a'.repeat(61)].join('.');

describe('the name of a server', () => {
  it.each([
    'a.test',
    'localhost',
    'a',
    'xn--kda4b0koi.example',
    '_dmarc.a-b.c_d.test_',
    '127.0.0.1.test',
    '1.a1',
    'a.1b',
    `${LABEL}.test`,
    LONGEST,
  ])('%j is one', (name) => {
    expect(isServerName(name)).toBe(true);
  });

  it.each([
    '',
    '.',
    '..',
    'a.test.',
    'a.test..',
    '.a.test',
    'a..test',
    'A.test',
    '*.test',
    'a b.test',
    'ż.test',
    '-a.test',
    'a-.test',
    '1',
    '127.0.0.1',
    'a.1',
    'a.12',
    '[::1]',
    'a.test:443',
    `a${LABEL}.test`,
    `a${LONGEST}`,
    `${LONGEST}a`,
    `${LONGEST}.`,
  ])('%j is none', (name) => {
    expect(isServerName(name)).toBe(false);
  });
});
