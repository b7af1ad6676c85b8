/** Links in documents, comments and the guide lead to pages and sections that exist. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const sources = globSync('{core,adapters,plugins,hosts,test}/**/*.{ts,sol,circom}', { cwd: root }).filter(
  (path) => !/\b(node_modules|dist)\b/.test(path),
);
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })];
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
