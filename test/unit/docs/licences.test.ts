import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PROJECT = new URL('../../../', import.meta.url);
const PROVER = new URL('adapters/groth16-prover/', PROJECT);
const read = (path: string, from = PROJECT) => readFileSync(new URL(path, from), 'utf8');

describe('the licences', () => {
  const licence = 'MIT AND GPL-3.0-only';

  it('of the prover name the GPL, since it holds a compiled work under it, and those of the library do not', () => {
    const files = readdirSync(new URL('artifacts/', PROVER));
    expect(files.filter((name) => name.includes('.wasm'))).toEqual([
      'attested-values-1.wasm.br',
      'attested-values-4.wasm.br',
      'attested-values-8.wasm.br',
    ]);
    expect(JSON.parse(read('package.json', PROVER)).license).toBe(licence);
    expect(JSON.parse(read('package.json')).license).toBe('MIT');
    expect(JSON.parse(read('package-lock.json')).packages[''].license).toBe('MIT');
  });

  it.each(['README.md', 'adapters/groth16-prover/LICENSES.md'])('are the same in %s', (path) => {
    expect(read(path)).toContain(`\`${licence}\``);
    expect(read(path)).toContain('artifacts/attested-values-*.wasm.br');
  });

  it('of the contracts are MIT, as their files say', () => {
    const contracts = readdirSync(new URL('contracts/', PROJECT)).filter((name) => name.endsWith('.sol'));
    expect(contracts.length).toBeGreaterThan(3);
    for (const name of contracts) {
      expect(read(`contracts/${name}`).split('\n')[0], name).toBe('// SPDX-License-Identifier: MIT');
    }
    expect(read('LICENSE')).toContain('MIT License');
    expect(read('GPL-3.0.txt', PROVER)).toContain('Version 3, 29 June 2007');
  });
});
