/** The files that an entry of a package reaches by relative paths: what the package must hold. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Paths of modules and of their declarations, also of those that are imported late. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;
/** A program beside a module. */
const SCRIPT = /\bscriptBeside\((?:import\.meta\.url,\s*)?['"]([^'"]+)['"]/g;

/** The programs for threads and processes that a compiled module names, as paths. */
function scriptsOf(file: string, text: string): readonly string[] {
  return Array.from(text.matchAll(SCRIPT), ([, script]) => join(dirname(file), `${script}.js`));
}

/** The compiled files that a compiled module or a declaration file names, as paths. */
export function importsOf(file: string, text: string): readonly string[] {
  const extension = file.endsWith('.d.ts') ? '.d.ts' : '.js';
  const imported = Array.from(text.matchAll(IMPORT), ([, path = '']) =>
    join(dirname(file), path.replace(/(?:\.d)?\.[jt]s$/, extension)),
  );
  return [...imported, ...scriptsOf(file, text)];
}

/** What entries reach, as paths in the folder of the compiled files. */
export interface ReachedFiles {
  /** The entries too. */
  readonly files: ReadonlySet<string>;
  /** Those of them that threads and processes run. */
  readonly scripts: ReadonlySet<string>;
}

/**
 * @param folder of the compiled files
 * @param entries relative to the folder
 */
export async function reachedFiles(folder: string, entries: readonly string[]): Promise<ReachedFiles> {
  const files = new Set<string>();
  const scripts = new Set<string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    const text = await readFile(join(folder, file), 'utf8');
    waiting.push(...importsOf(file, text));
    for (const script of scriptsOf(file, text)) scripts.add(script);
  }
  return { files, scripts };
}
