/** On which chains the verifier of a development key can be deployed. */

import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledArtifacts, loadArtifacts } from '../../adapters/groth16-prover/artifacts.ts';
import { verifyingKeySolidity } from '../../adapters/groth16-prover/verifying-key.ts';
import { type LocalChain, startLocalChain } from '../../hosts/demo/evm/local-chain.ts';
import type { CompiledContract } from '../../hosts/demo/evm/solidity.ts';
import { newFolder } from '../support/new-folder.ts';
import { compileQuickly } from '../support/solidity.ts';

const PACKAGE = join(bundledArtifacts(), '..');
const TEST_CHAINS = [31337, 1337, 11155111, 17000, 560048, 84532, 11155420, 421614];
/** Two that hold money, and neighbours of test chains. */
const OTHER_CHAINS = [1, 8453, 31338, 1338];
const FORGEABLE = 'ForgeableWebProofVerifier';

/** One EVM for all: it takes the id of each chain in turn. */
let chain: LocalChain;
let directory: string;
let guestId: string;
/** The contract that the README derives. */
let derived: string;

beforeAll(async () => {
  chain = await startLocalChain();
  directory = newFolder();
  await cp(new URL('../../contracts/', import.meta.url).pathname, directory, { recursive: true });
  guestId = (await loadArtifacts(bundledArtifacts())).manifest.guestId;
  const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
  derived = /```solidity\n([^`]*_allowedDevelopmentKey[^`]*)```/.exec(readme)?.[1] ?? '';
});
afterAll(() => chain?.stop());

async function compile(name: string, file = `${name}.sol`): Promise<CompiledContract> {
  const contract = (await compileQuickly(join(directory, file)))[name];
  if (contract === undefined) throw new Error(`${name} is not in ${file}`);
  return contract;
}

async function compileText(name: string, source: string): Promise<CompiledContract> {
  await writeFile(join(directory, `${name}.sol`), source);
  return compile(name);
}

/** What `DEVELOPMENT()` answers after deploying on a chain with this id; rejects if the constructor reverts. */
async function deployedOn(
  chainId: number,
  contract: CompiledContract,
  args: readonly unknown[] = [],
): Promise<unknown> {
  await chain.setChainId(chainId);
  const { address } = await chain.deploy(contract, args);
  return chain.read(address, contract.abi, 'DEVELOPMENT');
}

describe('the verifier of the development key', () => {
  let verifier: CompiledContract;
  beforeAll(async () => {
    verifier = await compile('WebProofVerifier');
  });

  it.each(TEST_CHAINS)('deploys on test chain %i and says what it is', async (chainId) => {
    expect(await deployedOn(chainId, verifier)).toBe(true);
  });

  it.each(OTHER_CHAINS)('refuses chain %i', async (chainId) => {
    await expect(deployedOn(chainId, verifier)).rejects.toThrow(
      new RegExp(`DevelopmentKeyRefused[^]*${guestId}, ${chainId}\\)`),
    );
  });

  it('guards the contract that believes delegates, too', async () => {
    const delegated = await compile('DelegatedWebProofVerifier');
    const args = [[`0x${'12'.repeat(32)}`]];
    expect(await deployedOn(31337, delegated, args)).toBe(true);
    await expect(deployedOn(1, delegated, args)).rejects.toThrow('DevelopmentKeyRefused');
  });

  it('deploys anywhere if a derived contract names its guest id, and still says what it is', async () => {
    expect(await deployedOn(1, await compileText(FORGEABLE, derived))).toBe(true);
  });

  it('refuses a derived contract that names another key', async () => {
    const other = derived.replace(guestId, `0x${'12'.repeat(32)}`);
    expect(other).not.toBe(derived);
    await expect(deployedOn(1, await compileText(FORGEABLE, other))).rejects.toThrow('DevelopmentKeyRefused');
  });
});

describe('the verifier of a key from a real ceremony', () => {
  it('deploys on any chain and says that it is no development key', async () => {
    const { verifyingKeys } = await loadArtifacts(bundledArtifacts());
    await writeFile(join(directory, 'VerifyingKey.sol'), verifyingKeySolidity(verifyingKeys, { development: false }));
    const verifier = await compile('WebProofVerifier');
    expect(await deployedOn(1, verifier)).toBe(false);
    expect(await deployedOn(31337, verifier)).toBe(false);
  });
});
