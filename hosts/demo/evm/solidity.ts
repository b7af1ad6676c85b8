/** Compiles Solidity with solc-js, for the demo, tests and benches. */

import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Abi, Hex } from 'viem';

/** What the compiler answers, as far as it is asked for. */
interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, Compiled>>>>;
}
interface Compiled {
  readonly abi: Abi;
  readonly evm: { readonly bytecode: { readonly object: string } };
}

export interface CompiledContract {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

export interface SolidityOptions {
  /** Without it a compilation takes a tenth of the time, for contracts whose gas does not matter. @default true */
  readonly optimized?: boolean;
  /** By way of Yul, which has room for more variables. @default whether it is optimized */
  readonly viaIR?: boolean;
}

/**
 * Compiles the file at `path` and what it imports from its own directory; every contract in it by name.
 * @throws Error with what the compiler says of the source
 */
export async function compileSolidity(
  path: string,
  { optimized = true, viaIR = optimized }: SolidityOptions = {},
): Promise<Record<string, CompiledContract>> {
  const { default: solc } = await import('solc');
  const file = basename(path);
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(path, 'utf8') } },
    settings: {
      viaIR,
      optimizer: { enabled: optimized, runs: 200 },
      evmVersion: 'cancun',
      // Contracts of imported files are not compiled: those that are needed are part of the file's own.
      outputSelection: { [file]: { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const imports = (name: string) => ({ contents: readFileSync(join(dirname(path), name), 'utf8') });
  const text = solc.compile(JSON.stringify(input), { import: imports });
  const { errors = [], contracts = {} } = JSON.parse(text) as Output;
  const fatal = errors.filter(({ severity }) => severity === 'error');
  if (fatal.length > 0) throw new Error(fatal.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.entries(contracts[file] ?? {}).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` },
    ]),
  );
}
