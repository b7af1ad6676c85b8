/**
 * Writes every TypeScript block of the documents, and of every `@example` in the sources, to `reports/document-code/`. There
 * `npm run check:types` compiles it with the sources. A block is a module of its own.
 */
import { globSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';

const ROOT = new URL('../', import.meta.url);
const PAGES = ['*.md', 'docs/**/*.md', 'adapters/*/README.md'];
const SOURCES = ['{core,adapters,plugins,hosts}/**/*.ts', 'test/contract/**/*.ts'];

/** An example of a documentation comment. */
export interface Example {
  /** The code, or null if it is not in a block marked `ts`: then nothing compiles it. */
  readonly code: string | null;
  /** The line in the file, from 1. */
  readonly line: number;
}

/** The blocks of a Markdown page that are marked `ts`. */
export function codeBlocksOf(page: string): readonly string[] {
  return Array.from(page.matchAll(/^```ts\n([\s\S]*?)^```$/gm), ([, code = '']) => code);
}

/** The `@example`s in the documentation comments of a TypeScript file. */
export function examplesOf(source: string): readonly Example[] {
  return Array.from(source.matchAll(/^[ \t]*(?:\/\*)?\*+ *@example([\s\S]*?)(?=^[ \t]*\* *@\w|\*\/)/gm), (found) => {
    const text = (found[1] ?? '').replaceAll(/^[ \t]*\* ?/gm, '');
    return { code: codeBlocksOf(text)[0] ?? null, line: source.slice(0, found.index).split('\n').length };
  });
}

/** The sources whose examples are compiled, relative to the root. */
export function sourcesWithExamples(): readonly string[] {
  return globSync(SOURCES, { cwd: ROOT, exclude: ['**/dist/**'] });
}

async function writeBlocks(file: string, blocks: readonly string[]): Promise<void> {
  for (const [index, code] of blocks.entries()) {
    const name = `${file.replaceAll(/\W+/g, '-')}-${index + 1}.ts`;
    await writeFile(new URL(name, FOLDER), `${code}\nexport {};\n`);
  }
}

const FOLDER = new URL('reports/document-code/', ROOT);

if (import.meta.main) {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  for (const page of globSync(PAGES, { cwd: ROOT })) {
    await writeBlocks(page, codeBlocksOf(await readFile(new URL(page, ROOT), 'utf8')));
  }
  for (const source of sourcesWithExamples()) {
    const examples = examplesOf(await readFile(new URL(source, ROOT), 'utf8'));
    await writeBlocks(
      source,
      examples.flatMap(({ code }) => code ?? []),
    );
  }
}
