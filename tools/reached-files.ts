/** The files that an entry of a package reaches by relative paths: what the package must hold. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Paths of modules and of their declarations, also of those that are imported late and of programs beside a module. */
const IMPORT =
  /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]|\bscriptBeside\(import\.meta\.url,\s*['"]([^'"]+)['"]/g;

/** The compiled files that a compiled module or a declaration file names, as paths. */
export function importsOf(file: string, text: string): readonly string[] {
  const extension = file.endsWith('.d.ts') ? '.d.ts' : '.js';
  return Array.from(text.matchAll(IMPORT), ([, path, script]) =>
    join(dirname(file), script === undefined ? (path ?? '').replace(/(?:\.d)?\.[jt]s$/, extension) : `${script}.js`),
  );
}

/**
 * @param folder of the compiled files
 * @param entries relative to the folder
 * @returns the entries and what they reach, relative to the folder
 */
export async function reachedFiles(folder: string, entries: readonly string[]): Promise<ReadonlySet<string>> {
  const reached = new Set<string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    waiting.push(...importsOf(file, await readFile(join(folder, file), 'utf8')));
  }
  return reached;
}
