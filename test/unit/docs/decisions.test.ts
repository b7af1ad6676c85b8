import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CATALOGUE } from '../../../core/errors.ts';
import { describeEnvironment } from '../../../hosts/standalone/environment.ts';
import { createCredence } from '../../../plugins/compose/index.ts';

const root = new URL('../../../', import.meta.url);
const folder = new URL('docs/decisions/', root);
const page = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const pages = readdirSync(folder);
const decisions = pages.map(page).join('\n');

/** Beside the project where it is made; not part of the package. */
const specifications = ['engagement-service', 'web-proof-service'].map(
  (name) => new URL(`../shared/spec/${name}.md`, root),
);

const { routes } = createCredence({
  services: ['engagement', 'web-prover', 'zk-prover', 'notary'],
  secrets: { key: new Uint8Array(32) },
  notary: { key: { secret: new Uint8Array(32).fill(7) } },
  zk: { prover: 'fake' },
});

describe('the pages of decisions', () => {
  it('names routes that exist', () => {
    const named = [...decisions.matchAll(/`(GET|POST|PATCH|DELETE) (\/[^`?…]+)`/g)];
    expect(named.length).toBeGreaterThan(8);
    for (const [, method, path] of named) {
      expect(
        routes.some((route) => route.method === method && route.path === path),
        `${method} ${path}`,
      ).toBe(true);
    }
  });

  it('names codes, settings and states that exist', () => {
    const known = new Set([
      ...Object.keys(ERROR_CATALOGUE),
      ...[...describeEnvironment().matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name),
    ]);
    const named = [...decisions.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(10);
    for (const name of named) expect(known, name).toContain(name);
  });

  it('are all in the list of pages', () => {
    const listed = [...page('index.md').matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, name]) => name);
    expect([...listed, 'index.md'].sort()).toEqual(pages.toSorted());
  });

  it('links to pages that exist', () => {
    for (const [, target = ''] of decisions.matchAll(/\]\(([^)#]+)/g)) {
      expect(existsSync(new URL(target, folder)), target).toBe(true);
    }
  });

  it.skipIf(!specifications.every((file) => existsSync(file)))('answers every open point of the specifications', () => {
    const open = specifications.map((file) => readFileSync(file, 'utf8').match(/not shown/g)?.length ?? 0);
    expect(Math.min(...open)).toBeGreaterThan(0);
    const rows = ['engagement-rules.md', 'web-proof-rules.md'].map(
      (name) =>
        page(name)
          .split('\n')
          .filter((line) => line.startsWith('| ')).length - 2,
    );
    for (const [index, count] of open.entries()) expect(rows[index]).toBeGreaterThanOrEqual(count);
  });
});
