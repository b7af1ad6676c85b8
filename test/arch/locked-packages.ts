/** The lock file: which packages an install brings, as npm has laid them out. */
import { readFileSync } from 'node:fs';

export interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node?: string };
}

const LOCK = new URL('../../package-lock.json', import.meta.url);
export const { packages } = JSON.parse(readFileSync(LOCK, 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

/** As Node looks for it: below the package that asks, then further out. Undefined if it is not there. */
export function pathOf(from: string, name: string): string | undefined {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (path in packages) return path;
  return from === '' ? undefined : pathOf(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

/** The paths of these packages, as the one at `from` sees them, and of what they need. */
export function installedWith(from: string, names: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const visit = (asking: string, name: string): void => {
    const path = pathOf(asking, name);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    for (const needed of Object.keys(packages[path]?.dependencies ?? {})) visit(path, needed);
  };
  for (const name of names) visit(from, name);
  return [...found];
}
