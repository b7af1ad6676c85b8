/** The oldest Node.js that Credence says it runs on, held against what its dependencies say of themselves. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node?: string };
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const lock = JSON.parse(read('package-lock.json')) as { readonly packages: Readonly<Record<string, Package>> };
const manifest = JSON.parse(read('package.json')) as Required<Package>;
const { engines } = manifest;

/** Everything that users install with Credence: the dependencies, the optional peers but the test runner, and what these need. */
function installed(): readonly (readonly [path: string, Package])[] {
  const found = new Map<string, Package>();
  const visit = (from: string, name: string): void => {
    const path = pathOf(from, name);
    const entry = path === undefined ? undefined : lock.packages[path];
    if (path === undefined || entry === undefined || found.has(path)) return;
    found.set(path, entry);
    for (const needed of Object.keys(entry.dependencies ?? {})) visit(path, needed);
  };
  const { vitest: _, ...peers } = manifest.peerDependencies;
  for (const name of Object.keys({ ...manifest.dependencies, ...peers })) visit('', name);
  return [...found];
}

/** As Node looks for it: below the package that asks, then further out. */
function pathOf(from: string, name: string): string | undefined {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (path in lock.packages) return path;
  return from === '' ? undefined : pathOf(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

/** `^22.18.0 || >=24.11.0` and the like; of another form there is none among the dependencies. */
const takes = (range: string, version: readonly number[]): boolean =>
  range.split('||').some((alternative) => {
    const [, sign, text = ''] = /^(\^|>=|)\s*(\d+(?:\.[\dx*]+)*)$/.exec(alternative.trim()) ?? [];
    if (alternative.trim() === '*') return true;
    if (sign === undefined) throw new Error(`A range of another form: ${alternative}`);
    const lowest = text.split('.').map((part) => Number.parseInt(part, 10) || 0);
    const difference = version.map((part, i) => part - (lowest[i] ?? 0)).find((part) => part !== 0) ?? 0;
    return difference >= 0 && (sign === '>=' || version[0] === lowest[0]);
  });

describe('the oldest Node.js', () => {
  const [, oldest = ''] = /^>=(\d+\.\d+)$/.exec(engines.node ?? '') ?? [];

  it('is taken by every dependency', () => {
    const dependencies = installed();
    expect(dependencies.length).toBeGreaterThan(100);
    const refusing = dependencies.filter(
      ([, { engines: own }]) => own?.node !== undefined && !takes(own.node, [...oldest.split('.').map(Number), 0]),
    );
    expect(refusing.map(([path, { engines: own }]) => `${path}: ${own?.node}`)).toEqual([]);
  });

  it('is the same wherever it is named', () => {
    expect(lock.packages['']?.engines).toEqual(engines);
    expect(read('docs/operation.md')).toContain(`any Node from ${oldest}`);
    expect(read('adapters/sqlite/node-version.ts')).toContain(`Node.js ${oldest} or newer`);
    expect(read('hosts/standalone/node-version.ts')).toContain(`[${oldest.replace('.', ', ')}]`);
  });
});
