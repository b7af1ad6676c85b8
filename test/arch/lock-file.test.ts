import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>;
}

// npm leaves packages of other platforms out when its registry does not know them; `npm ci` then refuses the lock file.
it('the lock file lists the optional packages of every platform', () => {
  const { packages } = JSON.parse(
    readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
  ) as LockFile;
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isListed(packages, path, name)),
  );
  expect(missing).toEqual([]);
});

/** As Node looks for it: below the package that asks, then further out. */
function isListed(packages: LockFile['packages'], path: string, name: string): boolean {
  const inner = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
  if (inner in packages) return true;
  return path !== '' && isListed(packages, path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), name);
}
