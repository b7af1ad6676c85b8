/** What a host passes to `createCredence`: validated once, with defaults. */
import { existsSync } from 'node:fs';
import type { z } from 'zod';
import { parseCanaryTarget } from '../../core/canaries/canary.ts';
import { type ConfigurationError, unusable } from '../../core/configuration-error.ts';
import { plainIssue } from '../../core/plain-issue.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import { createPlatformRegistry } from '../../core/platforms/registry.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { suggestionsFor } from '../http/suggestions.ts';
import { type AdapterValues, adapterValues, isStorage } from './adapter-values.ts';
import { fieldsAt } from './config-fields.ts';
import { configSchema } from './config-schema.ts';
import type { CredenceConfig } from './config-types.ts';
import { registeredPlatforms } from './platform-list.ts';

export { ConfigurationError } from '../../core/configuration-error.ts';
export type { CredenceConfig } from './config-types.ts';

const refusal = (issues: ConfigurationError['issues']) => unusable('The Credence configuration is not usable:', issues);

/** Fields that hold an adapter and no options, which `adapterValues` takes out. */
const VALUES = ['plugins', 'rateLimiter', 'zkProver', 'clock', 'logger'];

/** As a host writes it, checked as a whole. */
const checkedSchema = configSchema.refine(({ jobs, redisUrl }) => jobs.queue !== 'bullmq' || redisUrl !== undefined, {
  path: ['redisUrl'],
  message: 'is missing; the job queue bullmq needs it',
});

type Parsed = z.output<typeof configSchema>;

/** A checked configuration with its defaults; `storage` is an adapter if the host passed one. */
export type ResolvedConfig = Omit<Parsed, 'storage' | 'notary'> & {
  readonly storage: Parsed['storage'] | Storage;
  /** The key `unkept` is made with each start and kept nowhere. */
  readonly notary: Omit<Parsed['notary'], 'key'> & {
    readonly key: Parsed['notary']['key'] | { readonly unkept: true };
  };
  /** The platforms that are registered, as values. */
  readonly platformAdapters: readonly PlatformAdapter[];
  /** Adapters that the host passed as values; without one, the options say which is made. */
  readonly adapters: AdapterValues;
};

/**
 * Validates a configuration and fills its defaults in.
 * @throws ConfigurationError naming every unusable field
 */
export function resolveConfig(config: CredenceConfig): ResolvedConfig {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    const message = "must be an object, such as { storage: 'sqlite:./data/credence.db' }";
    throw refusal([{ field: '(config)', message }]);
  }
  const { values, options, problems: valueProblems } = adapterValues(config);
  const { storage, platforms, ...others } = options;
  const adapter = isStorage(storage) ? storage : undefined;
  const url = typeof storage === 'string' ? { url: storage } : storage;
  const isList = Array.isArray(platforms);
  const result = checkedSchema.safeParse({
    ...others,
    platforms: isList ? { extra: platforms } : platforms,
    ...(adapter === undefined ? { storage: url } : {}),
  });
  const wrong = result.success ? [] : result.error.issues.map((issue) => fieldIssue(issue, isList));
  if (!result.success || valueProblems.length > 0) throw refusal([...valueProblems, ...wrong]);
  const { adapters: platformAdapters, problems } = registeredPlatforms(result.data.platforms, isList);
  if (problems.length > 0) throw refusal(problems.map((message) => ({ field: 'platforms', message })));
  const wrongCanaries = canaryProblems(result.data.canaries.targets, platformAdapters);
  if (wrongCanaries.length > 0) throw refusal(wrongCanaries);
  return {
    ...result.data,
    ...(result.data.storage.url === IN_MEMORY ? unkeptKeys(result.data, options) : {}),
    ...(adapter === undefined ? {} : { storage: adapter }),
    platformAdapters,
    adapters: values,
  };
}

/** The URL of a storage that ends with its process. */
export const IN_MEMORY = 'sqlite::memory:';

/** With a storage in memory, keys that nobody asked to be kept are written nowhere. An existing key of a notary is used. */
function unkeptKeys({ secrets, notary }: Parsed, given: CredenceConfig): Pick<ResolvedConfig, 'secrets' | 'notary'> {
  const { key } = (given.notary ?? {}) as { readonly key?: unknown };
  const hasKey = key !== undefined || ('file' in notary.key && existsSync(notary.key.file));
  return {
    secrets: given.secrets === undefined ? { key: new Uint8Array(systemRandom.bytes(32)), replaced: false } : secrets,
    notary: hasKey ? notary : { ...notary, key: { unkept: true } },
  };
}

function canaryProblems(
  targets: readonly string[],
  adapters: readonly PlatformAdapter[],
): ConfigurationError['issues'][number][] {
  const registry = createPlatformRegistry(adapters.map(({ descriptor }) => descriptor));
  const forms = `must be a post URL, or PLATFORM:HANDLE with one of ${registry.names.join(', ')}`;
  return targets.flatMap((target, index) =>
    parseCanaryTarget(registry, target) === null ? [{ field: `canaries.targets.${index}`, message: forms }] : [],
  );
}

function fieldIssue(issue: z.core.$ZodIssue, isList: boolean): ConfigurationError['issues'][number] {
  const field = issue.path.join('.') || '(config)';
  const known =
    issue.path.length === 0 ? [...fieldsAt(configSchema, []), ...VALUES] : fieldsAt(configSchema, issue.path);
  const suggestion = issue.code === 'unrecognized_keys' ? suggestionsFor(issue.keys, known) : '';
  return {
    field: isList ? field.replace(/^platforms\.extra/, 'platforms') : field,
    message: plainIssue(issue) + suggestion,
  };
}
