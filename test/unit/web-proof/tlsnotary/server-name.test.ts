import { expect, it } from 'vitest';
import { isServerName } from '../../../../core/web-proof/tlsnotary/server-name.ts';

const LABEL = 'a'.repeat(63);
const LONGEST = [LABEL, LABEL, LABEL, 'a'.repeat(61)].join('.');
const ASCII = 'a.test localhost a xn--kda4b0koi.example _dmarc.a-b.c_d.test_ 127.0.0.1.test 1.a1 a.1b';

it.each([...ASCII.split(' '), `${LABEL}.test`, LONGEST])('%j is the name of a server', (name) => {
  expect(isServerName(name)).toBe(true);
});

it.each([
  ...['', 'a b.test', 'ż.test', `a${LABEL}.test`, `a${LONGEST}`, `${LONGEST}a`, `${LONGEST}.`],
  ...'. .. a.test. a.test.. .a.test a..test A.test *.test -a.test a-.test 1 127.0.0.1 a.1 a.12 [::1] a.test:443'.split(
    ' ',
  ),
])('%j is none', (name) => {
  expect(isServerName(name)).toBe(false);
});
