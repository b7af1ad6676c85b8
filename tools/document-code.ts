/**
 * Writes what `npm run check:types` compiles besides the sources: the types of the client, and every TypeScript block of the
 * documents and of every `@example` in the sources, in `reports/document-code/`. A block is a module of its own.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeClientApi } from './client-api.ts';

const ROOT = new URL('../', import.meta.url);
const FOLDER = new URL('reports/document-code/', ROOT);
const FILES = [
  '*.md',
  'docs/**/*.md',
  '{adapters,plugins,hosts}/*/README.md',
  '{core,adapters,plugins,hosts,test/contract}/**/*.ts',
];
const EXAMPLE = /^[ \t]*(?:\/\*)?\*+ *@example([\s\S]*?)(?=^[ \t]*\* *@\w|\*\/)/gm;

writeClientApi();
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const file of globSync(FILES, { cwd: ROOT }).filter((name) => !/\b(node_modules|dist)\b/.test(name))) {
  const text = readFileSync(new URL(file, ROOT), 'utf8');
  const prose = file.endsWith('.md')
    ? text
    : Array.from(text.matchAll(EXAMPLE), ([, example = '']) => example.replaceAll(/^[ \t]*\* ?/gm, '')).join('\n');
  for (const [index, [, code]] of [...prose.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].entries()) {
    const name = `${file.replaceAll(/\W+/g, '-')}-${index + 1}.ts`;
    writeFileSync(new URL(name, FOLDER), `${code}\nexport {};\n`);
  }
}
