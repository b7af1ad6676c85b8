/** The documents name what exists: pages, sections, routes, settings and error codes. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fakeProver } from '../../../adapters/fake-prover/index.ts';
import { ERROR_CATALOGUE } from '../../../core/errors.ts';
import { describeEnvironment } from '../../../hosts/standalone/environment.ts';
import { createCredence } from '../../../plugins/compose/index.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const sources = globSync('{core,adapters,plugins,hosts,test}/**/*.{ts,sol,circom}', { cwd: root }).filter(
  (path) => !/\b(node_modules|dist)\b/.test(path),
);
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })];
const text = pages
  .filter((path) => path !== 'CONTRIBUTING.md')
  .map(read)
  .join('\n');

/** The anchors of a page as the usual renderers make them of its headings. */
function anchorsOf(path: string): Set<string> {
  const headings = [...read(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Links to files or sections that are not there. */
function dead(links: readonly (readonly [from: string, path: string, anchor: string | undefined])[]): string[] {
  return links
    .filter(([, path, anchor]) => {
      if (!existsSync(new URL(path, root))) return true;
      return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).has(anchor);
    })
    .map(([from, path, anchor]) => `${from} links to ${path}${anchor === undefined ? '' : `#${anchor}`}`);
}

describe('links', () => {
  it('of documents lead somewhere', () => {
    const links = pages.flatMap((from) =>
      [...read(from).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, target = '', anchor]) => {
        const path = target === '' ? from : new URL(target, new URL(from, root)).href.slice(root.href.length);
        return [from, path, anchor] as const;
      }),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(dead(links)).toEqual([]);
  });

  it('of comments in the code lead to sections that exist', () => {
    const links = sources.flatMap((from) =>
      [...read(from).matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].map(
        ([, path = '', anchor]) => [from, path, anchor] as const,
      ),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(dead(links)).toEqual([]);
  });

  it('of the guide lead to every page', async () => {
    const { PAGES } = (await import(new URL('tools/guide/pages.mjs', root).href)) as {
      readonly PAGES: Readonly<Record<string, readonly string[]>>;
    };
    const isPage = (path: string) => path.startsWith('docs/') && !/^docs\/adr\/\d/.test(path);
    expect(Object.values(PAGES).flat().filter(isPage).sort()).toEqual(pages.filter(isPage).sort());
  });
});

describe('names in documents', () => {
  it('of routes are served', () => {
    const { routes } = createCredence({
      services: ['engagement', 'web-prover', 'zk-prover', 'notary'],
      secrets: { key: new Uint8Array(32) },
      notary: { key: { secret: new Uint8Array(32).fill(7) } },
      zkProver: fakeProver(),
    });
    const served = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    const named = [...text.matchAll(/`((?:GET|POST|PATCH|DELETE) \/(?:admin|campaigns|social|v1|auth|api)[^`?…]*)`/g)];
    expect(named.length).toBeGreaterThan(40);
    expect(named.map(([, route = '']) => route).filter((route) => !served.has(route))).toEqual([]);
  });

  it('of settings and error codes are known', () => {
    const settings = describeEnvironment().matchAll(/^ {2}(\S+)/gm);
    const known = new Set([...Object.keys(ERROR_CATALOGUE), ...Array.from(settings, ([, name = '']) => name)]);
    const others = /^(?:GUEST_ID|UV_THREADPOOL_SIZE|NODE_ENV|WEBHOOK_SECRET|POST_URL)$/;
    const named = new Set(Array.from(text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g), ([, name = '']) => name));
    expect(named.size).toBeGreaterThan(30);
    expect([...named].filter((name) => !known.has(name) && !others.test(name))).toEqual([]);
  });
});
