/** What an install of each package brings, by the lock file: a front end or a receiver must not install a server. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { installedWith, type Locked, packages, pathOf } from './locked-packages.ts';

/** The names of what the package in this folder depends on, and of what these need. */
const namesWith = (folder: string): readonly string[] =>
  installedWith(folder, Object.keys(packages[folder]?.dependencies ?? {}))
    .map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
    .sort();

it.each([
  ['plugins/client', ['@noble/hashes']],
  ['plugins/verify', ['@noble/ciphers', '@noble/curves', '@noble/hashes']],
])('%s brings %j', (folder, expected) => {
  expect(namesWith(folder)).toEqual(expected);
});

it('the library brings no framework, no storage and no more packages than before', () => {
  const installed = namesWith('');
  const optional = [
    'better-sqlite3',
    'mongodb',
    'pg',
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

const EXAMPLES = readdirSync(new URL('../../hosts/examples', import.meta.url)).map((name) => `hosts/examples/${name}`);

it('all packages have one version, and name each other by it', () => {
  const manifest = (folder: string) =>
    JSON.parse(readFileSync(new URL(`../../${folder}/package.json`, import.meta.url), 'utf8')) as Manifest;
  const { version, workspaces = [] } = manifest('.');
  const others = [...workspaces, ...EXAMPLES].map(manifest);
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

// npm leaves packages of other platforms out when its registry does not know them; `npm ci` then refuses the lock file.
it('the lock file lists the optional packages of every platform', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => pathOf(path, name) === undefined),
  );
  expect(missing).toEqual([]);
});
