/**
 * Writes every TypeScript block of the documents to `reports/document-code/`, where `npm run check:types` compiles it with the
 * sources. A block is a module of its own.
 */
import { globSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const folder = new URL('reports/document-code/', root);
const pages = globSync(['*.md', 'docs/**/*.md', 'adapters/*/README.md'], { cwd: root });

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const page of pages) {
  const text = await readFile(new URL(page, root), 'utf8');
  for (const [index, [, code = '']] of [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].entries()) {
    const name = `${page.replaceAll(/\W+/g, '-')}-${index + 1}.ts`;
    await writeFile(new URL(name, folder), `${code}\nexport {};\n`);
  }
}
