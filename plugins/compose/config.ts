/**
 * What a host passes to `createCredence`: validated once, with defaults. A field that ends in an adapter has that adapter's own
 * schema, so that no adapter refuses later what was taken here.
 */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { blindNotaryOptions } from '../../adapters/blind-notary/options.ts';
import { dataProviderOptionsSchema } from '../../adapters/data-provider/index.ts';
import { egressGuardOptions } from '../../adapters/egress-guard/index.ts';
import { httpNotaryOptions } from '../../adapters/http-notary/options.ts';
import { httpProverOptionsSchema } from '../../adapters/http-prover/options.ts';
import { notarySecret } from '../../adapters/local-notary/notary-secret.ts';
import { notaryLimits } from '../../adapters/local-notary/options.ts';
import { mongoUrl } from '../../adapters/mongodb/url.ts';
import { mpcEngineOptions } from '../../adapters/mpc-engine/options.ts';
import { readySessions } from '../../adapters/mpc-notary/ready-option.ts';
import { redisPrefix, redisUrl } from '../../adapters/redis-rate-limiter/options.ts';
import { browserUserAgent, scrapingTransport, webUrl } from '../../adapters/scraping/index.ts';
import { trustedNotariesFile } from '../../adapters/trusted-notaries-file/index.ts';
import { pemRoots } from '../../adapters/x509/pem.ts';
import { parseCanaryTarget } from '../../core/canaries/canary.ts';
import { ConfigurationError } from '../../core/configuration-error.ts';
import { DEFAULT_ABSENCE_TOLERANCE } from '../../core/engagement/attempts/absence.ts';
import { isStandardSecret } from '../../core/engagement/webhooks/secret.ts';
import { plainIssue } from '../../core/plain-issue.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import { createPlatformRegistry } from '../../core/platforms/registry.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { bearerToken } from '../../core/security/bearer-token.ts';
import { secretBoxKey } from '../../core/security/secret-box.ts';
import { trustedNotariesSchema } from '../../core/web-proof/trusted-notaries.ts';
import { connectBrand } from '../http/pages/connect/brand.ts';
import { type AdapterValues, adapterValues, isStorage } from './adapter-values.ts';
import { builtInPlatformFields, needsDataProvider } from './built-in-platforms.ts';
import type { CredenceConfig } from './config-options.ts';
import { platformAdapter, registeredPlatforms } from './platform-list.ts';
import { publicUrl } from './public-url.ts';
import { fieldsAt, suggestionsFor } from './unknown-fields.ts';

export { ConfigurationError } from '../../core/configuration-error.ts';
export type { CredenceConfig } from './config-options.ts';

const dataProvider = dataProviderOptionsSchema.shape;
const egress = egressGuardOptions.shape;
const sessions = blindNotaryOptions.shape;
const engine = mpcEngineOptions.shape;
const readySeconds = z.int().min(0).max(3_600).default(300);

/** Scheme, host and port alone. */
export const origin = z
  .string()
  .refine(
    (text) => /^https?:/.test(text) && URL.parse(text)?.origin === text,
    'must be an origin, for example https://app.example',
  );
const zkProver = httpProverOptionsSchema.shape;

/** Read as they are, these would open another database, which is empty. */
const ODD_SQLITE_PATH = /^sqlite:(?:\s|~|file:|.*\?|.*\s$)/is;

/** `sqlite://` would make the first folder of a relative path a host name, and the path one from the root. */
export const storageUrl = z
  .string()
  .regex(/^(sqlite:\s*\S.*|mongodb(\+srv)?:\/\/.+)$/, {
    error: 'must start with sqlite:, mongodb:// or mongodb+srv://, and name a file or a host',
    abort: true,
  })
  .refine(
    (text) => !/^sqlite:\/\/(?!\/)/.test(text),
    'must be sqlite:data/x.db for a relative path, sqlite:/data/x.db for an absolute one',
  )
  .refine(
    (text) => !ODD_SQLITE_PATH.test(text),
    'must be sqlite:data/x.db for a relative path, sqlite:/data/x.db for an absolute one, without "?", "~/", "file:" or blanks at its ends',
  )
  .superRefine((text, context) => {
    const refused = text.startsWith('sqlite:') ? undefined : mongoUrl.safeParse(text).error;
    for (const { message } of refused?.issues ?? []) context.addIssue({ code: 'custom', message });
  });

/** Signs calls of `/web-proofs/callback`. */
export const callbackSecret = z
  .string()
  .regex(/^whsec_.{16,1024}$/, { error: 'must be whsec_ and at least 16 characters of base64', abort: true })
  .refine(isStandardSecret, 'must be whsec_ and padded base64');

/** Names a program of the prover. */
export const guestId = z.string().regex(/^0x[0-9a-f]{64}$/, 'must be a guest id: 0x and 64 hex digits in lower case');

export const notaryUrl = z.url({ protocol: /^https?$/ });

/** Fields that hold an adapter and no options, which `adapterValues` takes out. */
const VALUES = ['plugins', 'rateLimiter', 'zkProver', 'clock', 'logger'];

/** One is left for the embedded notary. */
const MAX_TRUSTED_NOTARIES = 9_999;

/** Each is read in every interval, at the expense of the rate of its platform. */
const MAX_CANARIES = 100;

export const configSchema = z.strictObject({
  storage: z
    .strictObject({ url: storageUrl })
    .default({ url: 'sqlite:./data/credence.db' })
    .meta({ description: 'Where everything is kept.' }),
  adminToken: bearerToken.optional().meta({
    description: 'A token with admin rights; without one and without a stored one, start() makes one and returns it.',
  }),
  secrets: z
    .union(
      [
        z.strictObject({ keyFile: z.string().min(1), replaced: z.boolean().default(false) }),
        z.strictObject({
          key: secretBoxKey.meta({ description: 'The 32-byte key itself, instead of a file.' }),
          replaced: z.boolean().default(false),
        }),
      ],
      'must be { keyFile: "./data/secrets.key" }, or { key } with the 32 bytes of the key as a Uint8Array',
    )
    .prefault({ keyFile: './data/secrets.key' })
    .meta({
      description:
        'The 32-byte key that encrypts secrets at rest, or the file it is kept in. replaced: start though stored secrets cannot be opened with it.',
    }),
  services: z.array(z.enum(['engagement', 'web-prover', 'zk-prover', 'notary'])).default(['engagement']),
  publicUrl: publicUrl.optional().meta({
    description:
      'Under which clients reach this instance, with the path of its mount if it has one: https://api.example.com/engagement. ' +
      'Unset: what the request was sent to.',
  }),
  egress: z
    .strictObject({
      allow: egress.allow,
      ports: egress.ports,
    })
    .prefault({})
    .meta({ description: 'What outbound requests may reach besides public addresses and port 443.' }),
  platforms: z
    .strictObject({
      pacing: z.enum(['safe', 'off']).default('safe'),
      proxyUrl: webUrl.optional(),
      userAgent: browserUserAgent.optional().meta({
        description: 'Of a desktop browser; its client hints follow from it. A current Chrome by default.',
      }),
      transport: scrapingTransport.optional().meta({
        description: 'Sends the requests to the platforms instead of the built-in client; see `SendRequest`.',
      }),
      profileWaitMs: z.int().min(0).max(30_000).default(1_500).meta({
        description: 'How long registering a creator waits for the profile, in milliseconds; 0 leaves the profile out.',
      }),
      ...builtInPlatformFields,
      extra: z
        .array(platformAdapter)
        .default([])
        .meta({ description: 'Platforms besides those that are registered by default, as values.' }),
      dataProvider: z
        .strictObject({ key: dataProvider.key, baseUrl: dataProvider.baseUrl })
        .optional()
        .meta({ description: 'The paid account behind the source `provider`.' }),
    })
    .refine((platforms) => platforms.dataProvider !== undefined || !needsDataProvider(platforms), {
      path: ['dataProvider'],
      message: 'the source `provider` needs a key',
    })
    .prefault({}),
  redisUrl: redisUrl
    .optional()
    .meta({ description: 'Shares request limits and the rate limits of platforms between processes.' }),
  redisPrefix: redisPrefix.meta({
    description: 'In front of every key in Redis; deployments that share a Redis need one each.',
  }),
  jobs: z
    .strictObject({
      leaseSeconds: z.int().min(1).max(3600).default(60),
      run: z.boolean().default(true).meta({ description: 'false: this process serves requests and runs no jobs.' }),
      queue: z.enum(['leased', 'bullmq']).default('leased').meta({
        description: 'Where jobs wait: in the storage, or in the Redis of redisUrl with a copy in the storage.',
      }),
    })
    .prefault({}),
  notary: z
    .strictObject({
      key: z
        .union(
          [
            z.strictObject({ file: z.string().min(1) }),
            z.strictObject({
              secret: notarySecret.meta({ description: 'The 32 bytes of the key themselves, instead of a file.' }),
            }),
          ],
          'must be { file: "./data/notary.key" }, or { secret } with the 32 bytes of the key as a Uint8Array',
        )
        .default({ file: './data/notary.key' })
        .meta({ description: 'The secp256k1 signing key of the embedded notary, or the file it is kept in.' }),
      url: notaryUrl.optional().meta({ description: 'Where this notary is known to be; written into proofs.' }),
      ...notaryLimits.shape,
      sessions: z
        .strictObject({
          concurrency: sessions.concurrency.meta({
            description: 'Blind sessions (MPC-TLS) at one time, over all callers; one for two processors by default.',
          }),
          ready: engine.ready.unwrap().default(1).meta({
            description: 'Engine processes that are started before a blind session needs them.',
          }),
          readySeconds: readySeconds.meta({
            description: 'How long a session that a prover has set up ahead may wait for its request; 0 allows none.',
          }),
          maxSentData: sessions.maxSentData.meta({ description: 'Most bytes of the request of a blind session.' }),
          maxRecvData: sessions.maxRecvData.meta({
            description: 'Most bytes of the answer in a blind session; more takes more memory and time.',
          }),
          memoryMiB: engine.memoryMiB.meta({ description: 'Most memory of the process of one blind session.' }),
          stockProvers: z.enum(['token', 'anyone', 'off']).default('off').meta({
            description: 'Who may open sessions for stock provers of TLSNotary: token (any token), anyone, or off.',
          }),
        })
        .optional()
        .meta({ description: 'Offers blind sessions with the service notary.' }),
    })
    .prefault({}),
  remoteNotaries: z
    .array(
      z.strictObject({
        ...httpNotaryOptions.pick({ url: true, token: true, fingerprint: true }).shape,
        mode: z.enum(['attesting', 'blind']).optional().meta({
          description:
            '`blind`: requests are made from here, by MPC-TLS with the notary, which never has what is hidden.',
        }),
        readySessions: readySessions.default(1).meta({
          description:
            'With `blind`: sessions that are set up ahead, for the servers of as many last proofs. Each takes a process and its memory.',
        }),
      }),
    )
    .max(100)
    .default([])
    .meta({
      description: 'Notaries that others run and that callers may choose by `notaryUrl`; their keys are pinned.',
    }),
  trustedNotaries: trustedNotariesSchema
    .max(MAX_TRUSTED_NOTARIES)
    .default([])
    .meta({ description: "Trusted keys besides the embedded notary's own." }),
  trustedNotariesFile: trustedNotariesFile.optional().meta({
    description: 'JSON file with further trusted keys; it is read again when it changes.',
  }),
  extraRoots: z
    .array(pemRoots)
    .default([])
    .meta({ description: "PEM roots trusted besides Node's own when proving and verifying." }),
  webProofCallback: z
    .strictObject({
      secret: callbackSecret.optional(),
      clockToleranceSeconds: z
        .int()
        .min(0)
        .max(600)
        .default(30)
        .meta({ description: "How far a notary's clock may differ from ours, for proofs that link an account." }),
    })
    .prefault({})
    .meta({ description: 'The secret that signs web-proof callbacks; without one they are refused.' }),
  zk: z
    .strictObject({
      prover: z.enum(['groth16', 'rapidsnark', 'http', 'fake']).default('groth16'),
      url: zkProver.url.optional().meta({ description: 'The remote prover, for `http`.' }),
      token: zkProver.token.optional(),
      artifacts: z
        .string()
        .min(1)
        .optional()
        .meta({ description: 'Directory of a ceremony; the bundled development key by default.' }),
      allowDevelopmentKey: guestId
        .optional()
        .meta({ description: 'Guest id of a development key to be used in production all the same.' }),
      rapidsnark: z.string().min(1).optional().meta({ description: 'Path of the program, for `rapidsnark`.' }),
      warmUp: z
        .boolean()
        .default(true)
        .meta({ description: 'Load the prover at start, so that the first proof takes no longer than later ones.' }),
    })
    .refine(({ prover, rapidsnark }) => prover !== 'rapidsnark' || rapidsnark !== undefined, {
      message: 'the prover rapidsnark needs the path of the program (rapidsnark)',
    })
    .refine(({ prover, url, token }) => prover !== 'http' || (url !== undefined && token !== undefined), {
      message: 'the http prover needs url and token',
    })
    .prefault({}),
  connect: z
    .strictObject({ returnOrigins: z.array(origin).max(100).default([]), brand: connectBrand.optional() })
    .prefault({}),
  retention: z
    .strictObject({
      days: z
        .union([z.int().min(1).max(3650), z.literal('off')], 'must be 1 to 3650, or off')
        .default(90)
        .meta({ description: 'Attempts, comments and what belongs to them are kept for good.' }),
      auditDays: z.union([z.int().min(1).max(36_500), z.literal('off')], 'must be 1 to 36500, or off').default(365),
    })
    .prefault({})
    .meta({ description: 'How long deliveries, dead-lettered jobs, old metrics and the like are kept.' }),
  verification: z
    .strictObject({
      missingComments: z.int().min(0).max(1_000).default(DEFAULT_ABSENCE_TOLERANCE.count).meta({
        description: 'How many counted comments may be missing from a reading that still proves a creator absent.',
      }),
      missingShare: z.number().min(0).max(0.5).default(DEFAULT_ABSENCE_TOLERANCE.share).meta({
        description: 'The same as a share of all comments, from 0 to 0.5; the larger of the two counts.',
      }),
      recheckScale: z.number().min(0.0001).max(1).default(1),
    })
    .prefault({})
    .meta({
      description: 'When a creator who was not found counts as absent, and when undecided claims are checked again.',
    }),
  canaries: z
    .strictObject({
      targets: z
        .array(z.string().min(1).max(2_048))
        .max(MAX_CANARIES)
        .default([])
        .transform((targets) => [...new Set(targets)]),
      intervalSeconds: z.int().min(1).max(604_800).default(900),
    })
    .prefault({})
    .meta({ description: 'Posts and profiles that are read on a schedule, to notice changes of platforms.' }),
  webhooks: z
    .strictObject({ retryScale: z.number().min(0.0001).max(1).default(1) })
    .prefault({})
    .meta({ description: 'Scales the delays between retries; below 1 for tests and demos.' }),
});

/** As a host writes it, checked as a whole. */
const checkedSchema = configSchema.refine(({ jobs, redisUrl }) => jobs.queue !== 'bullmq' || redisUrl !== undefined, {
  path: ['jobs', 'queue'],
  message: 'bullmq needs redisUrl',
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
    throw unusable([{ field: '(config)', message }]);
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
  if (!result.success || valueProblems.length > 0) throw unusable([...valueProblems, ...wrong]);
  const { adapters: platformAdapters, problems } = registeredPlatforms(result.data.platforms, isList);
  if (problems.length > 0) throw unusable(problems.map((message) => ({ field: 'platforms', message })));
  const wrongCanaries = canaryProblems(result.data.canaries.targets, platformAdapters);
  if (wrongCanaries.length > 0) throw unusable(wrongCanaries);
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

function unusable(issues: ConfigurationError['issues']): ConfigurationError {
  const lines = issues.map(({ field, message }) => `  ${field}: ${message}`);
  return new ConfigurationError(`The Credence configuration is not usable:\n${lines.join('\n')}`, { issues });
}
