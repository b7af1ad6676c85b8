/** The import graph of the sources, read from their text. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';

export interface SourceFile {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
  /** Files of the project that it imports. */
  readonly imports: readonly string[];
  /** Packages and built-in modules that it imports. */
  readonly packages: readonly string[];
}

const root = resolve(import.meta.dirname, '../..');
const SPECIFIER =
  /(?:^|[\s;}])(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** Every TypeScript file below these folders of the project. */
export function readSources(...folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => readSource(join(root, folder, name))),
  );
}

function readSource(file: string): SourceFile {
  const code = withoutComments(readFileSync(file, 'utf8'));
  const specifiers = [...code.matchAll(SPECIFIER)].map((match) => (match[1] ?? match[2]) as string);
  const local = specifiers.filter((specifier) => specifier.startsWith('.'));
  return {
    path: fromRoot(file),
    code,
    imports: local.map((specifier) => fromRoot(resolve(dirname(file), specifier))),
    packages: specifiers.filter((specifier) => !specifier.startsWith('.')),
  };
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

function fromRoot(file: string): string {
  return relative(root, file).split(sep).join(posix.sep);
}

/** The first import cycle found, as the list of its files; null when there is none. Type-only imports count. */
export function findCycle(files: readonly SourceFile[]): string[] | null {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): string[] | null => {
    const at = trail.indexOf(path);
    if (at !== -1) return [...trail.slice(at), path];
    if (done.has(path)) return null;
    trail.push(path);
    for (const next of byPath.get(path)?.imports ?? []) {
      const cycle = visit(next);
      if (cycle) return cycle;
    }
    trail.pop();
    done.add(path);
    return null;
  };
  for (const file of files) {
    const cycle = visit(file.path);
    if (cycle) return cycle;
  }
  return null;
}
