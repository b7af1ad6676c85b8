/** The standalone host's configuration: environment variables, validated at boot, listed by `--help`. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { plainIssue } from '../../core/plain-issue.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import { type CredenceConfig, IN_MEMORY } from '../../plugins/compose/config.ts';
import { EnvironmentError, readTextFile } from './environment-values.ts';
import { variables } from './variables.ts';

export { EnvironmentError } from './environment-values.ts';

const environmentSchema = z.object(variables).superRefine((env, context) => {
  if (env.JOB_QUEUE === 'bullmq' && env.REDIS_URL === undefined) {
    context.addIssue({ code: 'custom', path: ['JOB_QUEUE'], message: 'bullmq needs REDIS_URL' });
  }
  for (const name of ['ZK_PROVER_URL', 'ZK_PROVER_TOKEN'] as const) {
    if (env.ZK_PROVER === 'http' && env[name] === undefined) {
      context.addIssue({ code: 'custom', path: [name], message: 'must be set with ZK_PROVER=http' });
    }
  }
  if (env.ZK_PROVER === 'rapidsnark' && env.ZK_RAPIDSNARK_PATH === undefined) {
    const message = 'must be set with ZK_PROVER=rapidsnark';
    context.addIssue({ code: 'custom', path: ['ZK_RAPIDSNARK_PATH'], message });
  }
  for (const name of ['CONNECT_BRAND_LOGO_URL', 'CONNECT_BRAND_COLOR'] as const) {
    if (env[name] !== undefined && env.CONNECT_BRAND_NAME === undefined) {
      context.addIssue({ code: 'custom', path: [name], message: 'needs CONNECT_BRAND_NAME' });
    }
  }
  if (env.DATA_PROVIDER_KEY !== undefined) return;
  for (const name of ['INSTAGRAM_SOURCES', 'TIKTOK_SOURCES'] as const) {
    if (env[name].includes('provider')) {
      context.addIssue({ code: 'custom', path: [name], message: 'provider needs DATA_PROVIDER_KEY' });
    }
  }
});

/** Former names of settings; they work until the next minor version. */
const RENAMED: Readonly<Record<string, keyof typeof variables>> = { DELIVER_IN_BACKGROUND: 'RUN_JOBS' };

/** One warning for each former name that is in use. */
export function warnAboutRenamedVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(RENAMED).flatMap(([former, name]) =>
    env[former] ? [`${former} is now ${name}. Rename it: the former name works until the next minor version.`] : [],
  );
}

/** The settings of this host. */
export const variableNames: readonly string[] = Object.keys(variables);

export type Environment = z.output<typeof environmentSchema>;

/**
 * Reads and validates the environment; an empty variable counts as unset.
 * @throws EnvironmentError naming each variable and what is wrong with it
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const former = Object.fromEntries(Object.entries(RENAMED).map(([name, now]) => [now, env[name]]));
  // An empty variable counts as unset.
  const given = Object.fromEntries(variableNames.map((name) => [name, env[name] || former[name] || undefined]));
  const result = environmentSchema.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${String(issue.path[0])}: ${plainIssue(issue)}`);
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

/** The file's notaries; those that say nothing of their ready sessions get as many as the variable says. */
function remoteNotaries(env: Environment): CredenceConfig['remoteNotaries'] {
  const notaries = readJsonFile('REMOTE_NOTARIES_FILE', env.REMOTE_NOTARIES_FILE);
  const fill = (notary: unknown) =>
    typeof notary === 'object' ? { readySessions: env.MPC_READY_SESSIONS, ...notary } : notary;
  return (Array.isArray(notaries) ? notaries.map(fill) : notaries) as CredenceConfig['remoteNotaries'];
}

/** `join` would drop the `./` that messages and logs show. */
function inDataDir({ DATA_DIR }: Pick<Environment, 'DATA_DIR'>, name: string): string {
  // Two slashes after `sqlite:` would begin a host name.
  const directory = DATA_DIR.replace(/^\/+/, '/');
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`;
}

/** Where a key is kept. None is made beside a storage in memory unless a variable asks for it. */
function keyFile(env: Environment, given: string | undefined, name: string): string | undefined {
  const file = given ?? inDataDir(env, name);
  return given === undefined && env.STORAGE_URL === IN_MEMORY && !existsSync(file) ? undefined : file;
}

/** The variables that name a file or a folder of this host, with the paths that they stand for. */
export function variablesOfPaths(env: Readonly<Record<string, string | undefined>>): (readonly [string, string])[] {
  const DATA_DIR = env.DATA_DIR || './data';
  const own = ['credence.db', 'secrets.key', 'notary.key'].map(
    (name) => ['DATA_DIR', inDataDir({ DATA_DIR }, name)] as const,
  );
  const given = ['SECRETS_KEY_FILE', 'NOTARY_KEY_FILE'].map((name) => [name, env[name] ?? ''] as const);
  return [...given, ...own, ['DATA_DIR', DATA_DIR] as const].filter(([, path]) => path !== '');
}

/** The library configuration that an environment stands for. */
export function toConfig(env: Environment, extra: readonly PlatformAdapter[] = []): CredenceConfig {
  const secretsFile = keyFile(env, env.SECRETS_KEY_FILE, 'secrets.key');
  const notaryFile = keyFile(env, env.NOTARY_KEY_FILE, 'notary.key');
  return {
    storage: { url: env.STORAGE_URL ?? `sqlite:${inDataDir(env, 'credence.db')}` },
    adminToken: env.ADMIN_TOKEN,
    secrets:
      secretsFile === undefined ? undefined : { keyFile: secretsFile, replaced: env.SECRETS_KEY_REPLACED === 'on' },
    services: env.SERVICES,
    publicUrl: env.PUBLIC_URL,
    connect: {
      returnOrigins: env.CONNECT_RETURN_ORIGINS,
      brand:
        env.CONNECT_BRAND_NAME === undefined
          ? undefined
          : { name: env.CONNECT_BRAND_NAME, logoUrl: env.CONNECT_BRAND_LOGO_URL, color: env.CONNECT_BRAND_COLOR },
    },
    egress: { allow: env.EGRESS_ALLOW, ports: env.EGRESS_PORTS },
    platforms: {
      pacing: env.SCRAPER_PACING,
      proxyUrl: env.SCRAPER_PROXY_URL,
      userAgent: env.SCRAPER_USER_AGENT,
      profileWaitMs: env.SCRAPER_PROFILE_WAIT_MS,
      instagram: {
        baseUrl: env.INSTAGRAM_BASE_URL,
        sessionIds: env.INSTAGRAM_SESSION_IDS,
        appId: env.INSTAGRAM_APP_ID,
        asbdId: env.INSTAGRAM_ASBD_ID,
        docIds: {
          post: env.INSTAGRAM_POST_DOC_IDS,
          olderPost: env.INSTAGRAM_OLDER_POST_DOC_ID,
          comments: env.INSTAGRAM_COMMENTS_DOC_ID,
          profile: env.INSTAGRAM_PROFILE_DOC_ID,
        },
        sources: env.INSTAGRAM_SOURCES,
      },
      tiktok: { baseUrl: env.TIKTOK_BASE_URL, appId: env.TIKTOK_APP_ID, sources: env.TIKTOK_SOURCES },
      dataProvider:
        env.DATA_PROVIDER_KEY === undefined
          ? undefined
          : { key: env.DATA_PROVIDER_KEY, baseUrl: env.DATA_PROVIDER_BASE_URL },
      extra,
    },
    canaries: { targets: env.PLATFORM_CANARIES, intervalSeconds: env.PLATFORM_CANARY_SECONDS },
    redisUrl: env.REDIS_URL,
    redisPrefix: env.REDIS_PREFIX,
    jobs: {
      queue: env.JOB_QUEUE,
      leaseSeconds: env.JOB_LEASE_SECONDS,
      run: env.RUN_JOBS === 'on',
    },
    retention: { days: env.RETENTION_DAYS, auditDays: env.AUDIT_RETENTION_DAYS },
    verification: {
      missingComments: env.VERIFICATION_MISSING_COMMENTS,
      missingShare: env.VERIFICATION_MISSING_SHARE,
      recheckScale: env.VERIFICATION_RECHECK_SCALE,
    },
    webhooks: { retryScale: env.WEBHOOK_RETRY_SCALE },
    notary: {
      key: notaryFile === undefined ? undefined : { file: notaryFile },
      url: env.NOTARY_URL,
      sessions:
        env.MPC_SESSIONS === 0
          ? undefined
          : {
              concurrency: env.MPC_SESSIONS,
              ready: env.MPC_READY_SESSIONS,
              readySeconds: env.MPC_READY_SECONDS,
              maxSentData: env.MPC_MAX_SENT_DATA,
              maxRecvData: env.MPC_MAX_RECV_DATA,
              memoryMiB: env.MPC_MEMORY_MIB,
              stockProvers: env.TLSN_PROVERS,
            },
    },
    remoteNotaries: remoteNotaries(env),
    trustedNotariesFile: readable('TRUSTED_NOTARIES_FILE', env.TRUSTED_NOTARIES_FILE),
    extraRoots: env.TLS_EXTRA_CA_FILE === undefined ? [] : [readTextFile('TLS_EXTRA_CA_FILE', env.TLS_EXTRA_CA_FILE)],
    webProofCallback: {
      secret: env.WEB_PROOF_CALLBACK_SECRET,
      clockToleranceSeconds: env.WEB_PROOF_CLOCK_TOLERANCE_SECONDS,
    },
    zk: {
      prover: env.ZK_PROVER,
      url: env.ZK_PROVER_URL,
      token: env.ZK_PROVER_TOKEN,
      artifacts: env.ZK_ARTIFACTS_DIR,
      allowDevelopmentKey: env.ZK_ALLOW_DEVELOPMENT_KEY,
      rapidsnark: env.ZK_RAPIDSNARK_PATH,
      warmUp: env.ZK_WARM_UP === 'on',
    },
  };
}

/** The variables that set a field of the library's configuration, with that field. */
export const FIELDS: ReadonlyMap<string, string> = new Map(
  Object.entries(variables).flatMap(([name, schema]) => {
    const field = z.globalRegistry.get(schema)?.field;
    return typeof field === 'string' ? [[name, field]] : [];
  }),
);

/** What to call a field of the library's configuration: `REMOTE_NOTARIES_FILE, 0.url`. */
export function variableOf(field: string): string {
  const [variable, known] = [...FIELDS].find(([, name]) => `${field}.`.startsWith(`${name}.`)) ?? [];
  if (known === undefined || variable === undefined) return field;
  const rest = field.slice(known.length + 1);
  return rest === '' || known === 'extraRoots' ? variable : `${variable}, ${rest}`;
}

/** The path of a file that the library reads by itself. */
function readable(variable: string, path: string | undefined): string | undefined {
  if (path !== undefined) readTextFile(variable, path);
  return path;
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
