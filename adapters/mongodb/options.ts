/** What `createMongoStorage` takes: a file of its own, so that a configuration can be checked without loading the driver. */
import type { MongoClientOptions } from 'mongodb';
import { z } from 'zod';
import { isInstalled, loadedAtOnce, missingPackage } from '../package-loader/index.ts';

/** Reads come from the primary, and writes survive the loss of a server and of the power: the promises of the port need it. */
export const DURABLE = {
  readPreference: 'primary',
  writeConcern: { w: 'majority', journal: true },
} as const satisfies MongoClientOptions;

/** The only value that each may have, by its name in lower case, as the driver takes them in any. */
const ONLY: ReadonlyMap<string, { readonly value: string; readonly why: string }> = new Map([
  ['readpreference', { value: 'primary', why: 'secondaries may lag behind what was written' }],
  ['w', { value: 'majority', why: 'writes that fewer servers have can be lost' }],
  ['journal', { value: 'true', why: 'writes that are not in the journal can be lost' }],
  ['j', { value: 'true', why: 'writes that are not in the journal can be lost' }],
]);

/** Why the URL cannot be used, if it asks for less than the promises need; it quotes nothing else of the URL. */
export function weakSetting(url: string): string | undefined {
  const start = url.indexOf('?');
  if (start < 0) return undefined;
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    const only = ONLY.get(name.toLowerCase());
    if (only === undefined || value === only.value) continue;
    return `the MongoDB URL may not set ${name} to anything but ${only.value}: ${only.why}. Leave it out`;
  }
  return undefined;
}

/**
 * A connection string. Its own settings (`tls`, `retryWrites` …) hold. Reads go to the primary, and writes wait for the
 * journals of a majority of the servers. A `readPreference`, `w` or `journal` that says otherwise is refused, and so is
 * what the driver cannot read. The messages quote nothing else of it, since it may hold a password.
 */
export const mongoUrl = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/.+/, {
    error: 'a MongoDB URL begins with mongodb:// or mongodb+srv://',
    abort: true,
  })
  .superRefine((url, context) => {
    const message = weakSetting(url) ?? unreadable(url);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

const HINT = 'check its hosts, database and options, and that user and password are percent-encoded';

/** Loads the driver. In a bundle it is not found, and then `open()` refuses the URL. */
function unreadable(url: string): string | undefined {
  if (!isInstalled('mongodb')) return missingPackage('mongodb', 'MongoDB');
  const driver = loadedAtOnce('mongodb') as typeof import('mongodb') | undefined;
  try {
    if (driver !== undefined) new driver.MongoClient(url).db();
    return undefined;
  } catch (error) {
    const unsupported =
      error instanceof Error ? /^options? [\w, ]{1,100} (is|are) not supported$/.exec(error.message)?.[0] : undefined;
    return `the MongoDB driver cannot read the URL: ${unsupported ?? HINT}`;
  }
}

/** A `Db` of the driver. */
export interface MongoDatabase {
  /** A collection of it. */
  collection(name: string, options?: object): unknown;
  /** Runs a command of the server. */
  command(command: object): Promise<unknown>;
}

/** A `MongoClient` of the driver. */
export interface MongoDatabases {
  /** A database of the deployment; without a name the one of the URL. */
  db(name?: string): MongoDatabase;
}

/** Checks `MongoStorageOptions` and fills in the defaults. */
export const mongoStorageOptions = z
  .strictObject({
    url: mongoUrl.optional(),
    /** Instead of `url`: the `MongoClient` of your application. It is never closed here. */
    client: z
      .custom<MongoDatabases>((given) => has(given, 'db'), 'must be a MongoClient of the package mongodb')
      .optional(),
    /** Instead of `url`: a `Db` of your application. */
    db: z.custom<MongoDatabase>((given) => has(given, 'collection'), 'must be a Db of the package mongodb').optional(),
    /** In front of the names of collections. @default 'credence_' */
    collectionPrefix: z
      .string()
      .regex(/^[\w-]{0,40}$/, 'letters, digits, _ and -')
      .optional(),
    /** `'never'`: `start()` makes no indexes and says what is missing; run `credence migrate`. */
    migrate: z.literal('never').optional(),
    /** The database; by default the one in the URL's path, else `credence`, or the default of your client. */
    database: z
      .string()
      .regex(/^[\w-]{1,60}$/, 'letters, digits, _ and -')
      .optional(),
    /** @default 50 */
    maxPoolSize: z.int().min(1).max(1_000).default(50),
    /** For connecting, for finding a usable server, and for waiting for a free connection. @default 10_000 */
    connectTimeoutMs: z.int().min(100).max(600_000).default(10_000),
    /** For one answer. @default 60_000 */
    socketTimeoutMs: z.int().min(1_000).max(3_600_000).default(60_000),
  })
  .refine(
    ({ url, client, db }) => [url, client, db].filter((given) => given !== undefined).length === 1,
    'give one of url, client and db',
  );

const has = (given: unknown, method: string) =>
  typeof (given as Readonly<Record<string, unknown>> | null)?.[method] === 'function';

/** What `createMongoStorage` takes. Times are in milliseconds. */
export type MongoStorageOptions = z.input<typeof mongoStorageOptions>;

export type MongoOptions = z.output<typeof mongoStorageOptions>;
