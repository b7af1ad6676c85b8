/** The standalone host's configuration: environment variables, validated at boot, listed by `--help`. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { checkOptions } from '../../core/configuration-error.ts';
import { plainIssue } from '../../core/plain-issue.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import { notaryLabel } from '../../core/web-proof/notary-label.ts';
import { type CredenceConfig, IN_MEMORY } from '../../plugins/compose/config.ts';
import { valueAt } from '../../plugins/compose/config-fields.ts';
import type { NotaryOptions } from '../../plugins/compose/config-types.ts';
import { EnvironmentError, readTextFile } from './environment-values.ts';
import { DATA_FILES, type Environment, HOST_DEFAULTS, variables } from './variables.ts';

export { EnvironmentError } from './environment-values.ts';
export type { Environment } from './variables.ts';

/** The settings of this host. */
export const variableNames: readonly string[] = [...variables.keys()];

/**
 * Reads and validates the environment; an empty variable counts as unset.
 * @throws EnvironmentError naming each variable and what is wrong with it
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  // A field whose variable is unset keeps the default of the library, or what the file says.
  const asked = [...variables].filter(([name, { isOwn }]) => isOwn || env[name]);
  const schema = z.object(Object.fromEntries(asked.map(([name, variable]) => [name, variable.schema])));
  const result = schema.safeParse(Object.fromEntries(asked.map(([name]) => [name, env[name] || undefined])));
  if (result.success) return result.data as Environment;
  const placeOf = ({ path }: z.core.$ZodIssue) => path.join('.').replace('.', ', ');
  const lines = result.error.issues.map((issue) => `  ${placeOf(issue)}: ${plainIssue(issue)}`);
  throw new EnvironmentError(`The configuration is not usable:\n${lines.join('\n')}`);
}

/** What `--help` prints of the variables. */
export function describeEnvironment(): string {
  const width = Math.max(...variableNames.map((name) => name.length));
  return [...variables]
    .map(([name, { description, fallback }]) => {
      const text = typeof fallback === 'boolean' ? (fallback ? 'on' : 'off') : String(fallback ?? '');
      return `  ${name.padEnd(width)}  ${description}${text === '' ? '' : ` [${text}]`}`;
    })
    .join('\n');
}

/** `join` would drop the `./` that messages and logs show. */
function inDataDir({ DATA_DIR }: Pick<Environment, 'DATA_DIR'>, name: string): string {
  // Two slashes after `sqlite:` would begin a host name.
  const directory = DATA_DIR.replace(/^\/+/, '/');
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`;
}

/** The variables that name a file or a folder of this host, with the paths that they stand for. */
export function variablesOfPaths(env: Readonly<Record<string, string | undefined>>): (readonly [string, string])[] {
  const DATA_DIR = env.DATA_DIR || './data';
  const own = Object.values(DATA_FILES).map((name) => ['DATA_DIR', inDataDir({ DATA_DIR }, name)] as const);
  const given = ['SECRETS_KEY_FILE', 'NOTARY_KEY_FILE'].map((name) => [name, env[name] ?? ''] as const);
  return [...given, ...own, ['DATA_DIR', DATA_DIR] as const].filter(([, path]) => path !== '');
}

/** The fields of the library, and the options of what this host makes of packages. */
export interface HostFields extends Omit<CredenceConfig, 'notary'> {
  /** The prover of the service `zk-prover`, and the options of its adapter. */
  readonly zk?: { readonly prover?: string } & Readonly<Record<string, unknown>>;
  /** The options of the embedded notary, and those of its blind sessions. */
  readonly notary?: NotaryOptions & { readonly sessions?: object };
}

/** What this host reads itself. The library and the packages check the rest. */
const hostFields = z.looseObject({
  zk: z.looseObject({ prover: z.enum(['groth16', 'http', 'fake']).optional() }).optional(),
  notary: z.looseObject({ sessions: z.looseObject({}).optional() }).optional(),
  remoteNotaries: z
    .array(z.looseObject({ mode: z.enum(['attesting', 'blind']).optional() }))
    .superRefine((list, context) => {
      const labels = list.map(({ url }) => (typeof url === 'string' ? notaryLabel(url) : null));
      const second = labels.findIndex((label, index) => label !== null && labels.indexOf(label) !== index);
      if (second === -1) return;
      const message = 'is the address of an entry before it: list a notary once, with the mode that you want';
      context.addIssue({ code: 'custom', path: [second, 'url'], message });
    })
    .optional(),
});

/**
 * The library configuration that an environment stands for: the fields of the file, then those that variables set, then what
 * this host does by default.
 * @throws EnvironmentError for a file that cannot be used; ConfigurationError for a mistake in what this host reads itself
 */
export function toConfig(env: Environment, extra: readonly PlatformAdapter[] = []): HostFields {
  const config = fieldsOfFile(env.CONFIG_FILE);
  if (typeof config.storage === 'string') config.storage = { url: config.storage };
  for (const [name, { field, isOwn }] of variables) if (field !== undefined && !isOwn) setAt(config, field, env[name]);
  if (config.storage === undefined) setAt(config, 'storage.url', `sqlite:${inDataDir(env, 'credence.db')}`);
  config.services ??= HOST_DEFAULTS.services;
  const isInMemory = valueAt(config, 'storage.url') === IN_MEMORY;
  setKeyFile(config, ['secrets.keyFile', 'secrets.key'], inDataDir(env, 'secrets.key'), isInMemory);
  setKeyFile(config, ['notary.key.file', 'notary.key'], inDataDir(env, 'notary.key'), isInMemory);
  const roots = env.TLS_EXTRA_CA_FILE;
  if (roots !== undefined) config.extraRoots = [readTextFile('TLS_EXTRA_CA_FILE', roots)];
  const notaries = env.REMOTE_NOTARIES_FILE;
  if (notaries !== undefined) setAt(config, 'remoteNotaries', readJsonFile('REMOTE_NOTARIES_FILE', notaries));
  if (env.MPC_SESSIONS > 0) setAt(config, 'notary.sessions.concurrency', env.MPC_SESSIONS);
  setAt(config, 'zk.prover', env.ZK_PROVER);
  setAt(config, 'zk.artifacts', env.ZK_ARTIFACTS_DIR);
  if (extra.length > 0) setAt(config, 'platforms.extra', extra);
  return checkOptions('host', hostFields, config) as HostFields;
}

/** A configuration that is being made; the library checks it. */
type Fields = Record<string, unknown>;

/** The library checks the shape of the content. */
function readJsonFile(variable: string, path: string): unknown {
  const text = readTextFile(variable, path);
  try {
    return JSON.parse(text);
  } catch {
    throw new EnvironmentError(`${variable}: ${path} is not JSON.`);
  }
}

function fieldsOfFile(path: string | undefined): Fields {
  if (path === undefined) return {};
  const fields = readJsonFile('CONFIG_FILE', path);
  if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return fields as Fields;
  throw new EnvironmentError(`CONFIG_FILE: ${path} must hold an object.`);
}

/** Sets the field at a dotted path, unless there is nothing to set. What is no object on the way stays, and is refused later. */
function setAt(config: Fields, path: string, value: unknown): void {
  if (value === undefined) return;
  const names = path.split('.');
  const last = names.pop() as string;
  let inner = config;
  for (const name of names) {
    const { [name]: next = {} } = inner;
    if (typeof next !== 'object' || next === null) return;
    inner[name] = { ...next };
    inner = inner[name] as Fields;
  }
  inner[last] = value;
}

/** Sets where a key is kept. None is made beside a storage in memory unless something asks for it. */
function setKeyFile(config: Fields, [field, ...others]: readonly string[], file: string, isInMemory: boolean): void {
  const isGiven = [field, ...others].some((path) => valueAt(config, path as string) !== undefined);
  if (!isGiven && !(isInMemory && !existsSync(file))) setAt(config, field as string, file);
}

/** The variables that set a field of the library's configuration, with that field. */
export const FIELDS: ReadonlyMap<string, string> = new Map(
  [...variables].flatMap(([name, { field }]) => (field === undefined ? [] : [[name, field]])),
);

/**
 * What to call a field of the library's configuration: `TRUSTED_NOTARIES_FILE`, or `CONFIG_FILE, zk.url`.
 * @param given the variables as they are set: what none of them sets is in the file, if there is one
 */
export function variableOf(path: string, given: Readonly<Record<string, string | undefined>> = process.env): string {
  const field = path
    .replace(/^host\./, '')
    .replace(/^(?:groth16|httpProver|fakeProver)\b/, 'zk')
    .replace(/^blindNotary\b/, 'notary.sessions');
  if (field === '(config)') return 'CONFIG_FILE';
  const [variable, known = ''] = [...FIELDS].find(([, name]) => `${field}.`.startsWith(`${name}.`)) ?? [];
  if (variable === undefined || (given.CONFIG_FILE && !given[variable])) return `CONFIG_FILE, ${field}`;
  return field === known || known === 'extraRoots' ? variable : `${variable}, ${field.slice(known.length + 1)}`;
}
