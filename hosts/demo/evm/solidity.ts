/** Compiles Solidity with solc-js, for the demo, tests and benches. */

import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Abi, Hex } from 'viem';
import { z } from 'zod';

const outputSchema = z.looseObject({
  errors: z.array(z.looseObject({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.looseObject({ abi: z.unknown(), evm: z.looseObject({ bytecode: z.looseObject({ object: z.string() }) }) }),
      ),
    )
    .default({}),
});

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
  const output = outputSchema.parse(JSON.parse(solc.compile(JSON.stringify(input), { import: imports })));
  const errors = output.errors.filter((error) => error.severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.entries(output.contracts[file] ?? {}).map(([name, contract]) => [
      name,
      { abi: contract.abi as Abi, bytecode: `0x${contract.evm.bytecode.object}` as Hex },
    ]),
  );
}
