/** The oldest Node.js that Credence says it runs on, held against what its dependencies say of themselves. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { installedWith, packages } from './locked-packages.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { engines, ...manifest } = JSON.parse(read('package.json')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node?: string };
  readonly scripts: { readonly start: string };
};

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
    // What users install with Credence: the dependencies, and the optional peers but the test runner.
    const { vitest: _, ...peers } = manifest.peerDependencies;
    const installed = installedWith('', Object.keys({ ...manifest.dependencies, ...peers }));
    expect(installed.length).toBeGreaterThan(100);
    const lowest = [...oldest.split('.').map(Number), 0];
    const refusing = installed
      .map((path) => ({ path, range: packages[path]?.engines?.node }))
      .filter(({ range }) => range !== undefined && !takes(range, lowest));
    expect(refusing).toEqual([]);
  });

  it('is the same wherever it is named', () => {
    expect(packages['']?.engines).toEqual(engines);
    expect(read('docs/operation.md')).toContain(`/${manifest.scripts.start}   # or any Node from ${oldest}`);
    expect(read('adapters/sqlite/node-version.ts')).toContain(`Node.js ${oldest} or newer`);
    expect(read('hosts/standalone/node-version.ts')).toContain(`[${oldest.replace('.', ', ')}]`);
  });
});
