/**
 * `npm run docs:guide`: builds the guide into `reports/guide/` from the documents of the repository, with their paths, so that
 * a link that works there works here. A dead link fails the build. Writes `llms.txt` and `llms-full.txt` too.
 */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { PAGES } from './pages.mjs';

const root = new URL('../../', import.meta.url);
const site = new URL('site/', import.meta.url);
const out = new URL('reports/guide/', root);
const SOURCES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'adapters/groth16-prover/README.md',
  'adapters/groth16-prover/LICENSES.md',
  'docs',
];

await rm(site, { recursive: true, force: true });
await mkdir(site, { recursive: true });
for (const source of SOURCES) await cp(new URL(source, root), new URL(source, site), { recursive: true });
await cp(new URL('config.mjs', import.meta.url), new URL('.vitepress/config.mjs', site));
await build(fileURLToPath(site), { outDir: fileURLToPath(out) });
await writeFile(new URL('index.html', out), '<!doctype html><meta http-equiv="refresh" content="0; url=docs/">\n');
await writeFile(new URL('llms.txt', out), await overview());
await writeFile(new URL('llms-full.txt', out), await everything());
await rm(site, { recursive: true, force: true });

/** The pages with a line about each (llmstxt.org). */
async function overview() {
  const groups = PAGES.map(
    ({ text, items }) =>
      `## ${text}\n\n${items.map((page) => `- [${page.text}](${page.path}): ${page.about}`).join('\n')}`,
  );
  const [, about] = /^# .+\n\n([\s\S]+?)\n\n/m.exec(await readFile(new URL('README.md', root), 'utf8')) ?? [];
  return `# Credence\n\n> ${about}\n\n${groups.join('\n\n')}\n`;
}

async function everything() {
  const paths = PAGES.flatMap(({ items }) => items.map(({ path }) => path));
  const pages = paths.map(async (path) => `<!-- ${path} -->\n\n${await readFile(new URL(path, root), 'utf8')}`);
  return (await Promise.all(pages)).join('\n\n');
}
