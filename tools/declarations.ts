/** The type declarations that the package needs: those that its `exports` reach. */
import { globSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Paths of other files, as declarations name them. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/** The declaration files that a declaration file names, as paths. */
export function importsOf(file: string, text: string): readonly string[] {
  return Array.from(text.matchAll(IMPORT), ([, path = '']) =>
    join(dirname(file), path.replace(/(?:\.d)?\.[jt]s$/, '.d.ts')),
  );
}

/**
 * Removes the declarations that no user can reach.
 * @param folder the built package, `dist`
 * @param exported `types` of the package's `exports`, relative to the folder
 * @param hidden folders that no pattern among them reaches
 * @returns how many files are left
 */
export async function removeUnreachable(
  folder: string,
  exported: readonly string[],
  hidden: readonly string[] = [],
): Promise<number> {
  const reached = new Set<string>();
  const waiting = globSync(
    exported.map((path) => path.replace('*', '**')),
    { cwd: folder, exclude: hidden.map((path) => `${path}/**`) },
  );
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    waiting.push(...importsOf(file, await readFile(join(folder, file), 'utf8')));
  }
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    if (!reached.has(file)) await rm(join(folder, file));
  }
  return reached.size;
}
