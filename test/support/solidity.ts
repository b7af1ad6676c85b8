/** Solidity for tests: loading the compiler takes seconds, so what it makes is kept on disk for other test files and runs. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CompiledContract, compileSolidity, type SolidityOptions } from '../../hosts/demo/evm/solidity.ts';

type Compiled = Record<string, CompiledContract>;

const KEPT = fileURLToPath(new URL('../../node_modules/.cache/credence-solidity/', import.meta.url));
const COMPILER = fileURLToPath(new URL('../../hosts/demo/evm/solidity.ts', import.meta.url));
const VERSION = createRequire(import.meta.url).resolve('solc/package.json');

/** As `compileSolidity`: every contract of the file by name. Compiles if a source, the compiler or its settings changed. */
export async function compileOnce(path: string, options: SolidityOptions = {}): Promise<Compiled> {
  const folder = dirname(path);
  const sources = readdirSync(folder).filter((name) => name.endsWith('.sol'));
  const inputs = [COMPILER, VERSION, ...sources.sort().map((name) => join(folder, name))];
  const hash = createHash('sha256').update(`${basename(path)}\0${JSON.stringify(options)}`);
  for (const input of inputs) hash.update(`\0${basename(input)}\0`).update(readFileSync(input));
  const kept = join(KEPT, `${hash.digest('hex')}.json`);
  try {
    return JSON.parse(readFileSync(kept, 'utf8')) as Compiled;
  } catch {
    const compiled = await compileSolidity(path, options);
    mkdirSync(KEPT, { recursive: true });
    const written = `${kept}.${randomUUID()}`;
    writeFileSync(written, JSON.stringify(compiled));
    renameSync(written, kept);
    return compiled;
  }
}

/** The contract that a file is named after. */
export async function contractOf(path: string, options: SolidityOptions = {}): Promise<CompiledContract> {
  const contract = (await compileOnce(path, options))[basename(path, '.sol')];
  if (contract === undefined) throw new Error(`${path} has no contract of its name.`);
  return contract;
}

/** As `compileOnce`, unoptimized: for contracts of which only the outcome of calls matters. */
export function compileQuickly(path: string): Promise<Compiled> {
  return compileOnce(path, { optimized: false });
}
