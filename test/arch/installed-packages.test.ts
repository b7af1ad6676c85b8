/** What an install of each package brings, by the lock file: a front end or a receiver must not install a server. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
}

const LOCK = new URL('../../package-lock.json', import.meta.url);
const { packages } = JSON.parse(readFileSync(LOCK, 'utf8')) as { readonly packages: Readonly<Record<string, Locked>> };

/** As Node.js looks for it: below the package that asks, then further out. */
function pathOf(from: string, name: string): string {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (path in packages) return path;
  if (from === '') throw new Error(`The lock file has no ${name}.`);
  return pathOf(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

/** The names of what the package in this folder depends on, and of what these need. */
function installedWith(folder: string): readonly string[] {
  const found = new Set<string>();
  const waiting = [folder];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const name of Object.keys(packages[path]?.dependencies ?? {})) {
      const next = pathOf(path, name);
      if (!found.has(next)) waiting.push(next);
      found.add(next);
    }
  }
  return [...found].map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)).sort();
}

it.each([
  ['plugins/client', ['@noble/hashes']],
  ['plugins/verify', ['@noble/ciphers', '@noble/curves', '@noble/hashes']],
])('%s brings %j', (folder, expected) => {
  expect(installedWith(folder)).toEqual(expected);
});

it('the library brings no framework, no storage and no more packages than before', () => {
  const installed = installedWith('');
  const optional = [
    'better-sqlite3',
    'mongodb',
    'fastify',
    'express',
    'pino',
    'commander',
    'react',
    'ws',
    'snarkjs',
    'viem',
  ];
  expect(installed.filter((name) => optional.includes(name))).toEqual([]);
  // Lower it when a dependency goes.
  expect(installed.length).toBeLessThanOrEqual(12);
});

it('all packages have one version, and name each other by it', () => {
  const manifest = (folder: string) =>
    JSON.parse(readFileSync(new URL(`../../${folder}/package.json`, import.meta.url), 'utf8')) as Manifest;
  const { version, workspaces = [] } = manifest('.');
  const others = workspaces.map(manifest);
  const names = new Set(['credence', ...others.map(({ name }) => name)]);
  const stated = others.flatMap(({ name, version: own, dependencies = {}, peerDependencies = {} }) =>
    Object.entries({ ...dependencies, ...peerDependencies, [name]: own }).filter(([each]) => names.has(each)),
  );
  expect(new Set(stated.map(([, range]) => range))).toEqual(new Set([version]));
});

interface Manifest extends Locked {
  readonly name: string;
  readonly version: string;
  readonly workspaces?: readonly string[];
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
