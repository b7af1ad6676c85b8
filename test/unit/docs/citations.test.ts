/** Code cites documents that are in the repository, by sections that exist there. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

const sources = globSync('{core,adapters,plugins,hosts,test}/**/*.{ts,sol,circom}', { cwd: root }).filter(
  (path) => !path.includes('node_modules') && !path.endsWith('docs/citations.test.ts'),
);
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })].filter(
  (path) => !path.includes('node_modules'),
);

/** The anchors of a page as the usual renderers make them of its headings. */
function anchorsOf(path: string): Set<string> {
  const headings = [...read(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
  return new Set(headings.map(slug));
}

/** What is cited but not there. */
function missing(cited: readonly (readonly [from: string, path: string, anchor: string | undefined])[]): string[] {
  return cited
    .filter(([, path, anchor]) => {
      if (!existsSync(new URL(path, root))) return true;
      return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).has(anchor);
    })
    .map(([from, path, anchor]) => `${from} cites ${path}${anchor === undefined ? '' : `#${anchor}`}`);
}

describe('citations', () => {
  it('in code name sections that exist', () => {
    const cited = sources.flatMap((from) =>
      [...read(from).matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].map(
        ([, path = '', anchor]) => [from, path, anchor] as const,
      ),
    );
    expect(cited.length).toBeGreaterThan(40);
    expect(missing(cited)).toEqual([]);
  });

  it('in documents link to files and sections that exist', () => {
    const cited = pages.flatMap((from) =>
      [...read(from).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, target = '', anchor]) => {
        const path = target === '' ? from : new URL(target, new URL(from, root)).href.slice(root.href.length);
        return [from, path, anchor] as const;
      }),
    );
    expect(cited.length).toBeGreaterThan(20);
    expect(missing(cited)).toEqual([]);
  });

  it('in documents name files of the repository that exist', () => {
    const named = pages.flatMap((from) =>
      [...read(from).matchAll(/`((?:core|adapters|plugins|hosts|test)\/[^`\s<…]*)`/g)].map(
        ([, path = '']) => [from, path] as const,
      ),
    );
    expect(named.length).toBeGreaterThan(20);
    const gone = named.filter(([, path]) => globSync(path, { cwd: root }).length === 0);
    expect(gone.map(([from, path]) => `${from} names ${path}`)).toEqual([]);
  });

  it('has every page in the guide', async () => {
    const { PAGES } = (await import(new URL('tools/guide/pages.mjs', root).href)) as {
      readonly PAGES: readonly { readonly items: readonly { readonly path: string }[] }[];
    };
    const listed = PAGES.flatMap(({ items }) => items.map(({ path }) => path));
    const records = (path: string) => /^docs\/adr\/\d/.test(path);
    expect(listed.filter((path) => path.startsWith('docs/')).sort()).toEqual(
      globSync('docs/**/*.md', { cwd: root })
        .filter((path) => !records(path))
        .sort(),
    );
  });

  it('name no document that is not in the repository', () => {
    const outside =
      /\bdesign\.md|\((?:design|facts)[,:] "|\((?:(?:engagement |web-proof )?specification|(?:engagement|web-proof) service), /i;
    const citing = [...sources, ...pages].filter((path) => outside.test(read(path)));
    expect(citing).toEqual([]);
  });
});
