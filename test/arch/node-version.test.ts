/** The oldest Node.js that Credence says it runs on, held against what its dependencies say of themselves. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Package {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const lock = JSON.parse(read('package-lock.json')) as { readonly packages: Readonly<Record<string, Package>> };
const { engines } = JSON.parse(read('package.json')) as Required<Package>;

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
    const dependencies = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
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
  });
});
