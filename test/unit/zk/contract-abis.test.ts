import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CONTRACTS, DEPLOYED } from '../../../tools/contract-abis.ts';
import { compileQuickly } from '../../support/solidity.ts';

it.each(DEPLOYED)(
  'the ABI of %s is the one that the compiler gives; node tools/contract-abis.ts writes it',
  async (name) => {
    const compiled = await compileQuickly(join(CONTRACTS, `${name}.sol`));
    expect(JSON.parse(readFileSync(join(CONTRACTS, 'abi', `${name}.json`), 'utf8'))).toEqual(compiled[name]?.abi);
  },
);
