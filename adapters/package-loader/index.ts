/** Packages that only some users install (optional peer dependencies): whether they are there, and what to do if one is not. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export { fileBeside, scriptBeside } from './file-beside.ts';

// An import of node:module would let bundlers follow `require`. In a CommonJS bundle there is no `import.meta.url`.
const require = process
  .getBuiltinModule('node:module')
  .createRequire(import.meta.url ?? pathToFileURL(resolve('index.js')));

/** A package that Credence finds if the user has installed it. */
export type OptionalPackage = 'better-sqlite3' | 'bullmq' | 'fastify' | 'ioredis' | 'mongodb' | 'pg' | 'pkijs';

/** A package is not installed. The message says what needs it, and the command that installs it. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';
  readonly code = 'MISSING_PACKAGE';
}

/**
 * What to throw when the import of an optional package has failed. Write each import in a `try` of its own, with the name as a
 * text: so bundlers put the package in if it is there, and do without it if it is not.
 * @param neededBy begins the message if the package is missing, for example `MongoDB`
 * @returns a MissingPackageError if it is not installed, the error itself if it is broken
 */
export function importFailure(error: unknown, name: string, neededBy: string): unknown {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  // The code alone does not tell: something that the package needs can be missing with the same one.
  const isMissing = String(code).endsWith('MODULE_NOT_FOUND') && namesPackage(String(message), name);
  return isMissing ? new MissingPackageError(missingPackage(name, neededBy), { cause: error }) : error;
}

/** Tells whether a package can be found, without loading it. In a bundle it may be inside, so there every package is. */
export function isInstalled(name: OptionalPackage): boolean {
  return isFound(name) || !isFound('zod');
}

/** Loads a package without waiting, for a check that cannot wait; undefined if it is not found. */
export function loadedAtOnce(name: OptionalPackage): unknown {
  return isFound(name) ? require(name) : undefined;
}

function isFound(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch (error) {
    return !namesPackage(String((error as Error).message), name);
  }
}

/**
 * What to tell a user whose installation lacks a package.
 * @param all every package that is missing, for one command that installs them
 */
export function missingPackage(name: string, neededBy: string, all: readonly string[] = [name]): string {
  const packages = [...new Set(all)];
  const advice = packages.length === 1 ? 'Install it' : 'Install all that is missing';
  return `${neededBy} needs the package ${name}, which is not installed. ${advice}: npm install ${packages.join(' ')}`;
}

/** What a part of a configuration needs. */
export interface PackageNeed {
  /** Of the configuration, dotted; or the function of an adapter value. */
  readonly field: string;
  readonly neededBy: string;
  readonly packages: readonly OptionalPackage[];
  /** What to do if it is not wanted. */
  readonly otherwise?: string;
}

/** Tells which packages cannot be found, without loading any: each with the one command that installs all of them. */
export function missingPackages(needs: readonly PackageNeed[]): { readonly field: string; readonly message: string }[] {
  const missing = needs.flatMap(({ packages, ...need }) =>
    packages.filter((name) => !isInstalled(name)).map((name) => ({ name, ...need })),
  );
  const all = missing.map(({ name }) => name);
  return missing.map(({ field, name, neededBy, otherwise = '' }) => ({
    field,
    message: `${missingPackage(name, neededBy, all)}${otherwise}`,
  }));
}

/** Whether this is a message of Node.js, or of a bundler, about this package, and not about one that it needs. */
function namesPackage(message: string, name: string): boolean {
  return new RegExp(`^Cannot find (?:module|package) '${name}'(?:\\s|$)`).test(message);
}
