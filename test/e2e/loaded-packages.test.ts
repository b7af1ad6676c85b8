/** An instance loads the packages that it uses, and no others. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { startChild } from '../support/child-host.ts';

vi.setConfig({ testTimeout: 60_000 });

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

/** The direct dependencies that a program loads, sorted. */
async function loadedBy(...args: readonly string[]): Promise<readonly string[]> {
  const child = startChild({ script: INSTANCE, args, nodeArgs: ['--import', WATCH] });
  expect(await child.exit(), child.stderr()).toBe(0);
  const loaded = JSON.parse(child.stdout()) as readonly (readonly [string, number])[];
  return loaded
    .map(([name]) => name)
    .filter((name) => OURS.has(name))
    .sort();
}

/** By `import 'credence'` alone. */
const BASE = [
  '@noble/ciphers',
  '@noble/hashes',
  'fastest-levenshtein',
  'inversify',
  'ipaddr.js',
  'p-queue',
  'reflect-metadata',
  'zod',
];
const WEB_PROOFS = ['@noble/curves', 'pkijs'];

const services = (...names: readonly string[]) => JSON.stringify({ services: names });
const sorted = (...names: readonly string[]) => [...BASE, ...names].sort();

it('loads no package of an adapter by an import', async () => {
  expect(await loadedBy()).toEqual(sorted());
});

it('loads better-sqlite3 for engagement on SQLite, and neither MongoDB nor Redis nor web proofs', async () => {
  expect(await loadedBy(services('engagement'))).toEqual(sorted('better-sqlite3'));
});

it('loads the driver of MongoDB and no SQLite', async () => {
  expect(await loadedBy(services('engagement'), 'mongodb://127.0.0.1:1/test')).toEqual(sorted('mongodb'));
});

it('loads the cryptography of web proofs by the first of them, and nothing of Ethereum', async () => {
  expect(await loadedBy(services('web-prover'))).toEqual(sorted('better-sqlite3', '@noble/curves'));
  expect(await loadedBy(services('web-prover'), '', 'verify')).toEqual(sorted('better-sqlite3', ...WEB_PROOFS));
});

it('loads nothing of MPC-TLS before the first blind session', async () => {
  const config = { services: ['notary'], notary: { sessions: { stockProvers: 'token' } } };
  expect(await loadedBy(JSON.stringify(config))).toEqual(sorted('better-sqlite3', '@noble/curves'));
});

it('loads viem by the first compression, and snarkjs only to prove', async () => {
  expect(await loadedBy(services('zk-prover'))).toEqual(sorted('better-sqlite3', '@noble/curves'));
  expect(await loadedBy(services('zk-prover'), '', 'compress')).toEqual(
    sorted('better-sqlite3', ...WEB_PROOFS, 'viem'),
  );
});
