/** The standalone host's configuration: environment variables, validated at boot, listed by `--help`. */
import { z } from 'zod';
import { dataProviderKey } from '../../adapters/data-provider/index.ts';
import { redisPrefix, redisUrl } from '../../adapters/redis-rate-limiter/index.ts';
import { bearerToken } from '../../core/security/bearer-token.ts';
import { type CredenceConfig, platformSources, storageUrl } from '../../plugins/compose/config.ts';
import { publicUrl } from '../../plugins/compose/public-url.ts';
import { cidr, EnvironmentError, integer, list, readTextFile } from './environment-values.ts';

export { EnvironmentError } from './environment-values.ts';

const url = z.url({ protocol: /^https?$/ });

const switchValue = z.enum(['on', 'off']);

const proxy = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.enum(['loopback', 'linklocal', 'uniquelocal'])],
  'must be addresses or CIDRs',
);

const cookieValue = z
  .string()
  .regex(/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,512}$/, 'must be values of a cookie');

/** One entry a variable; the order is the order of `--help`. */
const variables = {
  PORT: integer(0, 65535).prefault('3000').meta({ description: 'Port to listen on; 0 takes any free one.' }),
  HOST: z.string().min(1).default('127.0.0.1').meta({ description: 'Address to listen on.' }),
  STORAGE_URL: storageUrl
    .optional()
    .meta({ description: 'sqlite:PATH or mongodb://…; sqlite:$DATA_DIR/credence.db when unset.' }),
  DATA_DIR: z.string().min(1).default('./data').meta({ description: 'Directory for the database and the key files.' }),
  ADMIN_TOKEN: bearerToken
    .optional()
    .meta({ description: 'Token with admin rights; unset on the first start: one is generated and printed once.' }),
  SECRETS_KEY_FILE: z.string().min(1).optional().meta({
    description: 'Key that encrypts secrets at rest; $DATA_DIR/secrets.key when unset, created with mode 0600.',
  }),
  SECRETS_KEY_REPLACED: switchValue.default('off').meta({
    description:
      'on: start though stored webhook secrets cannot be opened with the key; their webhooks need making anew.',
  }),
  SERVICES: list
    .prefault('engagement,web-prover,zk-prover')
    .pipe(z.array(z.enum(['engagement', 'web-prover', 'zk-prover', 'notary'])).min(1))
    .meta({ description: 'Which of engagement, web-prover, zk-prover, notary to serve; comma separated.' }),
  PUBLIC_URL: publicUrl
    .optional()
    .meta({ description: 'URL under which clients reach this host, for links and documents.' }),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .meta({ description: 'Least severe level that is logged.' }),
  TRUST_PROXY: list.pipe(z.array(proxy)).optional().meta({
    description: 'Addresses or CIDRs of proxies whose X-Forwarded-For is believed; comma separated, none by default.',
  }),
  INSTAGRAM_BASE_URL: url.default('https://www.instagram.com').meta({ description: 'Where Instagram is read from.' }),
  TIKTOK_BASE_URL: url.default('https://www.tiktok.com').meta({ description: 'Where TikTok is read from.' }),
  INSTAGRAM_SESSION_IDS: list.pipe(z.array(cookieValue)).optional().meta({
    description: 'sessionid cookies for what Instagram hides from visitors (likers, replies); comma separated.',
  }),
  INSTAGRAM_SOURCES: list
    .prefault('own')
    .pipe(platformSources)
    .meta({ description: 'Who is asked about Instagram: own, provider, or both in order; comma separated.' }),
  TIKTOK_SOURCES: list
    .prefault('own')
    .pipe(platformSources)
    .meta({ description: 'Who is asked about TikTok: own, provider, or both in order; comma separated.' }),
  DATA_PROVIDER_KEY: dataProviderKey.optional().meta({
    description: 'API key of the data provider (ScrapeCreators); every answer of the source provider costs a credit.',
  }),
  DATA_PROVIDER_BASE_URL: url
    .default('https://api.scrapecreators.com')
    .meta({ description: 'Where the data provider is asked.' }),
  SCRAPER_PROXY_URL: url.optional().meta({ description: 'HTTP proxy for requests to the platforms.' }),
  SCRAPER_PACING: z
    .enum(['safe', 'off'])
    .default('safe')
    .meta({ description: 'safe keeps to careful rates; off is for simulators.' }),
  REDIS_URL: redisUrl
    .optional()
    .meta({ description: 'Shares request limits and scraping pace between processes; unset: each keeps its own.' }),
  REDIS_PREFIX: redisPrefix.meta({
    description: 'In front of every key in Redis; deployments that share a Redis need one each.',
  }),
  EGRESS_ALLOW: list
    .pipe(z.array(cidr))
    .optional()
    .meta({ description: 'CIDRs that outbound requests may reach besides public addresses; none by default.' }),
  EGRESS_PORTS: list
    .pipe(z.array(integer(1, 65535)))
    .optional()
    .meta({ description: 'Ports besides 443 that may be proven; comma separated.' }),
  TLS_EXTRA_CA_FILE: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "PEM roots trusted besides Node's own when proving and verifying." }),
  NOTARY_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "The notary's signing key; $DATA_DIR/notary.key when unset, created with mode 0600." }),
  NOTARY_URL: url.optional().meta({ description: 'Address of the default notary, written into proofs.' }),
  TRUSTED_NOTARIES_FILE: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'JSON list of trusted notary keys with their validity.' }),
  REMOTE_NOTARIES_FILE: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'JSON list of notaries run by others, with url, token and fingerprint of each.' }),
  WEB_PROOF_CALLBACK_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/, 'must be whsec_ and base64')
    .optional()
    .meta({ description: 'Secret that signs calls of /web-proofs/callback; without one they are refused.' }),
  ZK_PROVER: z
    .enum(['groth16', 'http', 'fake'])
    .default('groth16')
    .meta({ description: 'Which prover compresses proofs.' }),
  ZK_PROVER_URL: url.optional().meta({ description: 'The remote prover, with ZK_PROVER=http.' }),
  ZK_PROVER_TOKEN: z.string().min(1).optional().meta({ description: 'Bearer token for the remote prover.' }),
  ZK_ARTIFACTS_DIR: z.string().min(1).optional().meta({
    description: 'Proving key and verifying key of your own ceremony; the bundled development key when unset.',
  }),
  ZK_ALLOW_DEVELOPMENT_KEY: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/, 'must be a guest id: 0x and 64 hex digits')
    .optional()
    .meta({ description: 'Guest id of a development key to be used with NODE_ENV=production all the same.' }),
  JOB_QUEUE: z.enum(['leased', 'bullmq']).default('leased').meta({
    description: 'Where jobs wait: leased keeps them in the storage, bullmq in Redis with a copy in the storage.',
  }),
  JOB_LEASE_SECONDS: integer(1, 3600)
    .prefault('60')
    .meta({ description: 'After how long a job of a dead process is taken up again.' }),
  RETENTION_DAYS: z
    .union([z.literal('off'), integer(1, 3650)], 'must be a number of days from 1 to 3650, or off')
    .prefault('90')
    .meta({
      description:
        'How long finished deliveries, jobs set aside, old metrics and likers, usage and expired requests stay; off: for good.',
    }),
  WEBHOOK_RETRY_SCALE: z
    .string()
    .regex(/^[0-9]*\.?[0-9]+$/, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(0.0001).max(1))
    .prefault('1')
    .meta({ description: 'Scales the delays between webhook retries; below 1 for tests and demos.' }),
  DELIVER_IN_BACKGROUND: switchValue
    .default('on')
    .meta({ description: 'off: this process serves requests only and runs no jobs.' }),
} as const;

const environmentSchema = z.object(variables).superRefine((env, context) => {
  if (env.JOB_QUEUE === 'bullmq' && env.REDIS_URL === undefined) {
    context.addIssue({ code: 'custom', path: ['JOB_QUEUE'], message: 'bullmq needs REDIS_URL' });
  }
  for (const name of ['ZK_PROVER_URL', 'ZK_PROVER_TOKEN'] as const) {
    if (env.ZK_PROVER === 'http' && env[name] === undefined) {
      context.addIssue({ code: 'custom', path: [name], message: 'must be set with ZK_PROVER=http' });
    }
  }
  if (env.DATA_PROVIDER_KEY !== undefined) return;
  for (const name of ['INSTAGRAM_SOURCES', 'TIKTOK_SOURCES'] as const) {
    if (env[name].includes('provider')) {
      context.addIssue({ code: 'custom', path: [name], message: 'provider needs DATA_PROVIDER_KEY' });
    }
  }
});

export type Environment = z.output<typeof environmentSchema>;

/**
 * Reads and validates the environment; an empty variable counts as unset.
 * @throws EnvironmentError naming each variable and what is wrong with it
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const given = Object.fromEntries(
    Object.keys(variables).flatMap((name) => (env[name] === undefined || env[name] === '' ? [] : [[name, env[name]]])),
  );
  const result = environmentSchema.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${String(issue.path[0])}: ${issue.message}`);
  throw new EnvironmentError(`The configuration is not usable:\n${lines.join('\n')}`);
}

/** What `--help` prints of the variables. */
export function describeEnvironment(): string {
  const names = Object.keys(variables) as (keyof typeof variables)[];
  const width = Math.max(...names.map((name) => name.length));
  return names
    .map((name) => {
      const fallback = defaultOf(variables[name]);
      const description = z.globalRegistry.get(variables[name])?.description ?? '';
      return `  ${name.padEnd(width)}  ${description}${fallback === undefined ? '' : ` [${fallback}]`}`;
    })
    .join('\n');
}

function defaultOf(schema: z.ZodType): string | undefined {
  const definition = schema.def as { type: string; defaultValue?: unknown; in?: z.ZodType };
  if (definition.defaultValue !== undefined) return String(definition.defaultValue);
  return definition.in ? defaultOf(definition.in) : undefined;
}

/** The library configuration that an environment stands for. */
export function toConfig(env: Environment): CredenceConfig {
  return {
    storage: { url: env.STORAGE_URL ?? `sqlite:${env.DATA_DIR}/credence.db` },
    adminToken: env.ADMIN_TOKEN,
    secrets: {
      keyFile: env.SECRETS_KEY_FILE ?? `${env.DATA_DIR}/secrets.key`,
      replaced: env.SECRETS_KEY_REPLACED === 'on',
    },
    services: env.SERVICES,
    publicUrl: env.PUBLIC_URL,
    egress: { allow: env.EGRESS_ALLOW, ports: env.EGRESS_PORTS },
    platforms: {
      pacing: env.SCRAPER_PACING,
      proxyUrl: env.SCRAPER_PROXY_URL,
      instagram: {
        baseUrl: env.INSTAGRAM_BASE_URL,
        sessionIds: env.INSTAGRAM_SESSION_IDS,
        sources: env.INSTAGRAM_SOURCES,
      },
      tiktok: { baseUrl: env.TIKTOK_BASE_URL, sources: env.TIKTOK_SOURCES },
      dataProvider:
        env.DATA_PROVIDER_KEY === undefined
          ? undefined
          : { key: env.DATA_PROVIDER_KEY, baseUrl: env.DATA_PROVIDER_BASE_URL },
    },
    redisUrl: env.REDIS_URL,
    redisPrefix: env.REDIS_PREFIX,
    jobs: {
      queue: env.JOB_QUEUE,
      leaseSeconds: env.JOB_LEASE_SECONDS,
      run: env.DELIVER_IN_BACKGROUND === 'on',
    },
    retention: { days: env.RETENTION_DAYS },
    webhooks: { retryScale: env.WEBHOOK_RETRY_SCALE },
    notary: { key: { file: env.NOTARY_KEY_FILE ?? `${env.DATA_DIR}/notary.key` }, url: env.NOTARY_URL },
    remoteNotaries: readJsonFile('REMOTE_NOTARIES_FILE', env.REMOTE_NOTARIES_FILE) as CredenceConfig['remoteNotaries'],
    trustedNotaries: readJsonFile(
      'TRUSTED_NOTARIES_FILE',
      env.TRUSTED_NOTARIES_FILE,
    ) as CredenceConfig['trustedNotaries'],
    extraRoots: env.TLS_EXTRA_CA_FILE === undefined ? [] : [readTextFile('TLS_EXTRA_CA_FILE', env.TLS_EXTRA_CA_FILE)],
    webProofCallback: { secret: env.WEB_PROOF_CALLBACK_SECRET },
    zk: {
      prover: env.ZK_PROVER,
      url: env.ZK_PROVER_URL,
      token: env.ZK_PROVER_TOKEN,
      artifacts: env.ZK_ARTIFACTS_DIR,
      allowDevelopmentKey: env.ZK_ALLOW_DEVELOPMENT_KEY,
    },
  };
}

/** Fields that the library checks, with the variables they come from; the contents of files above all. */
const VARIABLES: Readonly<Record<string, string>> = {
  'storage.url': 'STORAGE_URL',
  remoteNotaries: 'REMOTE_NOTARIES_FILE',
  trustedNotaries: 'TRUSTED_NOTARIES_FILE',
  extraRoots: 'TLS_EXTRA_CA_FILE',
};

/** What to call a field of the library's configuration: `REMOTE_NOTARIES_FILE, 0.url`. */
export function variableOf(field: string): string {
  const [known, variable] = Object.entries(VARIABLES).find(([name]) => `${field}.`.startsWith(`${name}.`)) ?? [];
  if (known === undefined || variable === undefined) return field;
  const rest = field.slice(known.length + 1);
  return rest === '' || known === 'extraRoots' ? variable : `${variable}, ${rest}`;
}

/** The shape of the content is the library's to check. */
function readJsonFile(variable: string, path: string | undefined): unknown {
  if (path === undefined) return [];
  const text = readTextFile(variable, path);
  try {
    return JSON.parse(text);
  } catch {
    throw new EnvironmentError(`${variable}: ${path} is not JSON.`);
  }
}
