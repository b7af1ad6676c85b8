/** A real EVM on loopback: anvil, started for the demo or a test and ended with it. */

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  type Abi,
  type Address,
  BaseError,
  createTestClient,
  encodeDeployData,
  encodeFunctionData,
  getContractError,
  type Hex,
  http,
  publicActions,
  walletActions,
} from 'viem';
import { foundry } from 'viem/chains';
import type { CompiledContract } from './solidity.ts';

const require = createRequire(import.meta.url);

export interface LocalChain {
  /** Rejects with viem's error, which names the revert of the constructor. */
  deploy(contract: CompiledContract, args?: readonly unknown[]): Promise<{ address: Address }>;
  /** Calls a view function; rejects with viem's error, which names the revert. */
  read(address: Address, abi: Abi, functionName: string, args?: readonly unknown[]): Promise<unknown>;
  /** Sends a transaction that must succeed; its gas. */
  send(address: Address, abi: Abi, functionName: string, args: readonly unknown[], gas?: bigint): Promise<bigint>;
  /** From the next call on, contracts see this chain id. */
  setChainId(id: number): Promise<void>;
  stop(): void;
}

function anvilBinary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  return join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'anvil');
}

/** Starts the chain on a free port, with Foundry's chain id. */
export async function startLocalChain(): Promise<LocalChain> {
  // Its keys sign for the first chain id only; what it believes without a signature holds on every chain.
  const anvil = spawn(anvilBinary(), ['--port', '0', '--chain-id', String(foundry.id), '--auto-impersonate'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    anvil.once('error', reject);
    anvil.once('exit', (code) => reject(new Error(`anvil ended with code ${code}`)));
    anvil.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    });
  });
  const client = createTestClient({ mode: 'anvil', transport: http(url), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions);
  const [account] = await client.getAddresses();
  if (account === undefined) throw new Error('anvil has no accounts');

  const transact = async (data: Hex, to?: Address, gas = 15_000_000n) => {
    const hash = await client.sendTransaction({ account, chain: null, data, gas, ...(to === undefined ? {} : { to }) });
    const receipt = await client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error('the transaction reverted');
    return receipt;
  };

  return {
    async deploy({ abi, bytecode }, args = []) {
      const data = encodeDeployData({ abi, bytecode, args });
      // Simulated first, so that a revert is named.
      await client.call({ account, data }).catch((error: unknown) => {
        throw error instanceof BaseError ? getContractError(error, { abi, args, functionName: 'constructor' }) : error;
      });
      const receipt = await transact(data);
      if (receipt.contractAddress === null || receipt.contractAddress === undefined)
        throw new Error('not a deployment');
      return { address: receipt.contractAddress };
    },
    read: (address, abi, functionName, args = []) => client.readContract({ address, abi, functionName, args }),
    async send(address, abi, functionName, args, gas = 15_000_000n) {
      const data = encodeFunctionData({ abi, functionName, args });
      // Simulated first, so that a revert is named.
      await client.simulateContract({ account, address, abi, functionName, args, gas });
      return (await transact(data, address, gas)).gasUsed;
    },
    async setChainId(id) {
      await client.request<{ ReturnType: null }>({ method: 'anvil_setChainId', params: [id] });
    },
    stop: () => {
      anvil.removeAllListeners('exit');
      anvil.kill();
    },
  };
}
