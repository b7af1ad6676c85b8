/**
 * `npm run docs:guide`: builds the documents of the repository, with their paths, as a site in `reports/guide/`. A dead link fails the
 * build. Writes `llms.txt` and `llms-full.txt` too.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { PAGES } from '../pages.mjs';

const root = new URL('../../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const pages = Object.values(PAGES).flat();
const titleOf = (path) => /^# (.+)$/m.exec(read(path))?.[1] ?? path;
const groups = Object.entries(PAGES).map(([text, paths]) => ({
  text,
  items: paths.map((path) => ({ text: titleOf(path), path })),
}));

export default defineConfig({
  title: 'Credence',
  description: 'Verifies social engagement and web data.',
  srcDir: '../..',
  outDir: '../../reports/guide',
  srcExclude: ['CHANGELOG.md', '{core,hosts,plugins,reports,test,tools}/**'],
  ignoreDeadLinks: [/\/(?:LICENSE|GPL-3\.0\.txt)$/],
  vite: { esbuild: { tsconfigRaw: '{}' } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: groups.map(({ text, items }) => ({
      text,
      items: items.map((page) => ({ text: page.text, link: `/${page.path.replace(/(?:index)?\.md$/, '')}` })),
    })),
  },
  buildEnd({ outDir }) {
    const list = groups.map(
      ({ text, items }) => `## ${text}\n\n${items.map((page) => `- [${page.text}](${page.path})`).join('\n')}`,
    );
    writeFileSync(`${outDir}/index.html`, '<!doctype html><meta http-equiv="refresh" content="0; url=docs/">\n');
    writeFileSync(`${outDir}/llms.txt`, `# Credence\n\n${list.join('\n\n')}\n`);
    writeFileSync(`${outDir}/llms-full.txt`, pages.map((path) => `<!-- ${path} -->\n\n${read(path)}`).join('\n\n'));
  },
});
