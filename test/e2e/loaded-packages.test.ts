/** An instance loads the packages that it uses, and no others. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startChild } from '../support/child-host.ts';
import type { LoadingStep } from '../support/loading/instance.ts';

const WATCH = new URL('../support/loading/watch-packages.ts', import.meta.url).href;
const INSTANCE = fileURLToPath(new URL('../support/loading/instance.ts', import.meta.url));

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}
const { dependencies, peerDependencies } = JSON.parse(
  await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
) as Manifest;
const OURS = new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies)]);

/** The direct dependencies that the import of Credence loads, then those that each step adds; sorted. */
async function loadedBy(...steps: readonly LoadingStep[]): Promise<readonly (readonly string[])[]> {
  const args = steps.map((step) => JSON.stringify(step));
  const child = startChild({ script: INSTANCE, args, nodeArgs: ['--import', WATCH] });
  expect(await child.exit(), child.stderr()).toBe(0);
  const loaded = JSON.parse(child.stdout()) as readonly (readonly string[])[];
  return loaded.map((packages) => packages.filter((name) => OURS.has(name)).sort());
}

/** By `import 'credence'` alone. */
const BASE = ['@noble/ciphers', '@noble/hashes', 'fastest-levenshtein', 'ipaddr.js', 'p-queue', 'zod'];

it('loads no package of an adapter by an import, and the driver of MongoDB without SQLite', async () => {
  const config = { services: ['engagement'] } as const;
  expect(await loadedBy({ config, mongoUrl: 'mongodb://127.0.0.1:1/test' })).toEqual([BASE, ['mongodb']]);
});

it('loads on SQLite what each service needs, when it is first used', async () => {
  const steps: readonly (readonly [LoadingStep, readonly string[]])[] = [
    [{ config: { services: ['engagement'] } }, ['better-sqlite3']],
    // Nothing of MPC-TLS before the first blind session.
    [{ config: { services: ['notary'] }, isBlind: true }, ['@noble/curves']],
    [{ config: { services: ['web-prover'] } }, []],
    [{ config: { services: ['zk-prover'] } }, []],
    // Nothing of Ethereum, and nothing that checks certificates before there is one.
    [{ config: { services: ['web-prover'] }, call: 'verify' }, []],
    [{ config: { services: ['zk-prover'] }, call: 'compress' }, []],
  ];
  expect(await loadedBy(...steps.map(([step]) => step))).toEqual([BASE, ...steps.map(([, loaded]) => loaded)]);
});
