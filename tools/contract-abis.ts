/** `node tools/contract-abis.ts`: writes the ABIs of the contracts that users deploy. A test compares them with the compiler's. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileSolidity } from '../hosts/demo/evm/solidity.ts';
import { ROOT } from './workspaces.ts';

/** Contracts that users deploy; `WebProofConsumer` is the example that the recipe of proofs on a chain calls. */
export const DEPLOYED = ['WebProofVerifier', 'DelegatedWebProofVerifier', 'WebProofConsumer'] as const;
export const CONTRACTS = join(ROOT, 'contracts');

if (import.meta.main) {
  mkdirSync(join(CONTRACTS, 'abi'), { recursive: true });
  for (const name of DEPLOYED) {
    const abi = (await compileSolidity(join(CONTRACTS, `${name}.sol`)))[name]?.abi;
    writeFileSync(join(CONTRACTS, 'abi', `${name}.json`), `${JSON.stringify(abi, undefined, 2)}\n`);
  }
}
