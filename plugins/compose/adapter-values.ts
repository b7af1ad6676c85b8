/** Adapters that a host passes as values: taken out of the configuration before its options are checked. */
import { ConfigurationError } from '../../core/configuration-error.ts';
import type { JobQueueAdapter, NotaryAdapter } from '../../core/ports/adapter-values.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { isLogger, NOT_A_LOGGER } from './check-options.ts';
import type { CredenceConfig } from './config-types.ts';
import type { ConfiguredValues } from './configured-values.ts';
import type { CredencePlugin } from './plugin.ts';

/** The values that were passed. */
export interface AdapterValues extends Omit<ConfiguredValues, 'plugins'> {
  readonly jobQueue: JobQueueAdapter | undefined;
  readonly notary: NotaryAdapter | undefined;
  /** Besides those that are described by options. */
  readonly remoteNotaries: readonly NotaryAdapter[];
  readonly plugins: readonly CredencePlugin[];
}

type Problem = ConfigurationError['issues'][number];

/** What a storage has. One written for an earlier release may lack some. */
const PARTS_OF_STORAGE: Readonly<Record<Exclude<keyof Storage, 'watch'>, 'object' | 'function'>> = {
  creators: 'object',
  brands: 'object',
  brandConnections: 'object',
  campaigns: 'object',
  draws: 'object',
  attempts: 'object',
  outbox: 'object',
  places: 'object',
  comments: 'object',
  metrics: 'object',
  likers: 'object',
  webhooks: 'object',
  deliveries: 'object',
  subscribers: 'object',
  jobs: 'object',
  tokens: 'object',
  usage: 'object',
  connections: 'object',
  locks: 'object',
  idempotency: 'object',
  canaries: 'object',
  audit: 'object',
  retention: 'object',
  open: 'function',
  ping: 'function',
  close: 'function',
};

/** Parts a configuration into values and options; what is neither is told in `problems`. */
export function adapterValues(config: CredenceConfig): {
  readonly values: AdapterValues;
  readonly options: Readonly<Record<string, unknown>> & Pick<CredenceConfig, 'storage' | 'platforms'>;
  readonly problems: readonly Problem[];
} {
  const { jobs, rateLimiter, notary, remoteNotaries, zkProver, plugins = [], clock, logger, ...options } = config;
  // Told by what it has: from JavaScript anything may come, and what is no adapter is for the schema to judge.
  const others: readonly unknown[] = Array.isArray(remoteNotaries) ? remoteNotaries : [];
  const { queue, jobOptions } = queueIn(jobs);
  const values: AdapterValues = {
    jobQueue: queue,
    rateLimiter,
    notary: isAdapter<NotaryAdapter>(notary) ? notary : undefined,
    remoteNotaries: others.filter((each) => isAdapter<NotaryAdapter>(each)),
    zkProver,
    plugins,
    clock,
    logger,
  };
  return {
    values,
    options: {
      ...options,
      jobs: jobOptions,
      notary: isAdapter(notary) ? undefined : notary,
      remoteNotaries: Array.isArray(remoteNotaries) ? others.filter((each) => !isAdapter(each)) : remoteNotaries,
    },
    problems: problemsOf(config, values),
  };
}

/** A queue is in place of all options of jobs, or in place of `queue` among them. */
function queueIn(jobs: CredenceConfig['jobs']): {
  readonly queue: JobQueueAdapter | undefined;
  readonly jobOptions: unknown;
} {
  if (isAdapter<JobQueueAdapter>(jobs)) return { queue: jobs, jobOptions: undefined };
  if (!isAdapter<JobQueueAdapter>(jobs?.queue)) return { queue: undefined, jobOptions: jobs };
  const { queue, ...jobOptions } = jobs;
  return { queue, jobOptions };
}

function problemsOf(config: CredenceConfig, values: AdapterValues): readonly Problem[] {
  const problems: Problem[] = [];
  const demand = (good: boolean, field: string, message: string) => {
    if (!good) problems.push({ field, message });
  };
  const compresses = Array.isArray(config.services) && config.services.includes('zk-prover');
  const { rateLimiter, zkProver, plugins, clock, logger, notary } = values;
  const names = isListOfPlugins(plugins) ? plugins.map(({ name }) => name) : [];
  demand(isListOfPlugins(plugins), 'plugins', 'must be a list of plugins, for example [credenceConsole()]');
  demand(new Set(names).size === names.length, 'plugins', 'has two plugins of one name');
  demand(
    rateLimiter === undefined || isAdapter(rateLimiter),
    'rateLimiter',
    'must be an adapter: redis({ url }) of credence/adapters/redis-rate-limiter, or an object with `create`',
  );
  demand(
    zkProver === undefined ? !compresses : isAdapter(zkProver),
    'zkProver',
    'must be the prover of the service `zk-prover`: groth16() (npm install @credence/groth16), httpProver({ url, token }), ' +
      'fakeProver(), or an object with `create`',
  );
  const missing = isStorage(config.storage) ? missingIn(config.storage) : [];
  demand(
    missing.length === 0,
    'storage',
    `is a value without ${missing.join(', ')}: give it every part of \`Storage\``,
  );
  demand(clock === undefined || isClock(clock), 'clock', 'must be a clock: { now: () => Date }');
  demand(logger === undefined || isLogger(logger), 'logger', NOT_A_LOGGER);
  demand(
    rateLimiter === undefined || config.redisUrl === undefined,
    'redisUrl',
    'cannot be set together with rateLimiter: give the URL to redis({ url })',
  );
  demand(
    notary === undefined || !config.services?.includes('notary'),
    'notary',
    'must be the embedded notary, since the service `notary` serves it: pass localNotary({ … }) or its options',
  );
  return problems;
}

/** Whether it is a storage as a value, not options of one. */
export function isStorage(value: unknown): value is Storage {
  return typeof value === 'object' && value !== null && 'open' in value;
}

function missingIn(storage: Storage): readonly string[] {
  const given = storage as Partial<Storage>;
  const parts = Object.entries(PARTS_OF_STORAGE) as [keyof typeof PARTS_OF_STORAGE, string][];
  return parts
    .filter(([name, type]) => given[name] === null || typeof given[name] !== type)
    .map(([name, type]) => (type === 'function' ? `\`${name}()\`` : `\`${name}\``));
}

function isListOfPlugins(values: unknown): values is readonly CredencePlugin[] {
  const isPlugin = (value: Partial<CredencePlugin> | null) =>
    typeof value?.name === 'string' && Array.isArray(value.modules);
  return Array.isArray(values) && values.every(isPlugin);
}

/** `Date` itself has a `now`, too, which returns a number. */
function isClock(value: unknown): boolean {
  const clock = value as Partial<Clock> | null;
  return typeof clock?.now === 'function' && Object.prototype.toString.call(clock.now()) === '[object Date]';
}

/**
 * What the `create()` of an adapter made.
 * @param field the field of the configuration that holds the adapter
 * @throws ConfigurationError if `made` lacks one of the methods
 */
export function madeBy<T extends object>(field: string, methods: readonly (keyof T & string)[], made: T): T {
  // TypeScript refuses this in a user's code, JavaScript does not.
  const given = made as Readonly<Record<string, unknown>> | null | undefined;
  const missing = methods.find((method) => typeof given?.[method] !== 'function');
  if (missing === undefined) return made;
  const what = given ? `an object without \`${missing}()\`` : String(given);
  const message = `\`create()\` returned ${what}. Return what the adapter is for, with its \`${missing}()\`.`;
  throw new ConfigurationError(`${field}: ${message}`, { issues: [{ field, message }] });
}

function isAdapter<A extends { create(...args: never): unknown }>(value: unknown): value is A {
  return typeof value === 'object' && value !== null && 'create' in value && typeof value.create === 'function';
}
