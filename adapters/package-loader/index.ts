/**
 * Loads packages that only some users install (optional peer dependencies). Bundlers do not see these loads: a build without the
 * package succeeds, and one with it leaves the package outside the bundle.
 */
import { createRequire, HERE } from './create-require.ts';

export { fileBeside, scriptBeside } from './file-beside.ts';

interface LoadedPackages {
  /** A Fastify plugin. Of development only, so its own types are not there for users. */
  readonly '@scalar/fastify-api-reference': {
    readonly default: import('fastify').FastifyPluginCallback<{ routePrefix: string; configuration: { url: string } }>;
  };
  readonly 'better-sqlite3': typeof import('better-sqlite3');
  readonly bullmq: typeof import('bullmq');
  readonly fastify: typeof import('fastify');
  readonly ioredis: typeof import('ioredis');
  readonly mongodb: typeof import('mongodb');
  readonly pino: typeof import('pino');
  readonly pkijs: typeof import('pkijs');
}

/** A package that Credence finds if the user has installed it. */
export type OptionalPackage = keyof LoadedPackages;

const require = createRequire(HERE);

/** A package is not installed. The message says what needs it, and the command that installs it. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';
  readonly code = 'MISSING_PACKAGE';
}

/**
 * Loads a package at once; later calls get the same one.
 * @param neededBy begins the message if the package is missing, for example `MongoDB`
 * @throws MissingPackageError if it is not installed, the error of Node.js if it is broken
 */
export function loadPackage<N extends OptionalPackage>(name: N, neededBy: string): LoadedPackages[N] {
  try {
    return require(name) as LoadedPackages[N];
  } catch (error) {
    if (!isMissing(name, error)) throw error;
    throw new MissingPackageError(missingPackage(name, neededBy), { cause: error });
  }
}

/** Tells whether a package can be found, without loading it. */
export function isInstalled(name: OptionalPackage): boolean {
  try {
    require.resolve(name);
    return true;
  } catch (error) {
    return !isMissing(name, error);
  }
}

/**
 * What to tell a user whose installation lacks a package.
 * @param all every package that is missing, for one command that installs them
 */
export function missingPackage(
  name: OptionalPackage,
  neededBy: string,
  all: readonly OptionalPackage[] = [name],
): string {
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

/** The code alone does not tell: something that the package needs can be missing with the same one. */
function isMissing(name: string, error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === 'MODULE_NOT_FOUND' && String(message).startsWith(`Cannot find module '${name}'\n`);
}
