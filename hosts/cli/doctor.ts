/** `credence doctor`: looks at everything that a host of this configuration needs, and says what is wrong with it. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { stat, statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import {
  type Environment,
  explainFailure,
  hostConfig,
  namingVariable,
  packageVersion,
  readEnvironment,
  resolveConfig,
  variableNames,
  variableOf,
  variablesOfPaths,
  warnAboutUnknownVariables,
} from 'credence/host';
import { DomainError } from 'credence/kit';
import type { CanaryRecord } from '../../core/canaries/canary.ts';
import { checkOfficialApis, type Finding, type Outcome } from './doctor-official.ts';

const LEAST_FREE_BYTES = 1024 ** 3;
const CONNECT_TIMEOUT_MS = 5_000;
const FETCH_TIMEOUT_MS = 10_000;
const MOST_CLOCK_DRIFT_MS = 60_000;

/** The variables, and the fields that they and CONFIG_FILE set. */
type Settings = Environment & ReturnType<typeof resolveConfig>;
type Check = (settings: Settings) => Promise<Outcome>;

const ok = (detail: string) => ({ outcome: 'ok', detail }) as const;

export interface DoctorOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Posts and profiles to read besides the configured ones: a URL, or `instagram:handle`. */
  readonly canaries: readonly string[];
  /** Checks the configuration and the canaries, and nothing else. */
  readonly onlyPlatforms?: boolean;
  /** Forgets first what the configured canaries showed: what they show next is what later readings are compared with. */
  readonly accept?: boolean;
  readonly onFinding: (finding: Finding) => void;
}

/** Runs every check, one after the other; each has its own time limit. Never throws. */
export async function examine(options: DoctorOptions): Promise<readonly Finding[]> {
  const { env, onFinding } = options;
  const findings: Finding[] = [];
  const record = (finding: Finding) => {
    findings.push(finding);
    onFinding(finding);
  };
  record({ name: 'version', outcome: 'ok', detail: `Credence ${packageVersion()}, Node.js ${process.versions.node}` });
  let settings: Settings;
  const named = (field: string) => variableOf(field, env);
  try {
    const environment = readEnvironment(env);
    const { config, warnings } = await hostConfig(environment, env);
    // As it is written: the checks below set `jobs.run`, which hides a mistake in `jobs`.
    settings = { ...environment, ...resolveConfig(config) };
    const detail = [...warnAboutUnknownVariables(env, variableNames), ...warnings].join('\n');
    const outcome = detail === '' ? ok('every variable is usable') : ({ outcome: 'warning', detail } as const);
    record({ name: 'configuration', ...outcome });
  } catch (error) {
    record({ name: 'configuration', outcome: 'failed', detail: explainFailure(error, named).text });
    return findings;
  }
  const attempt = async (name: string, check: () => Promise<void>) => {
    try {
      await check();
    } catch (error) {
      const { text } = namingVariable(explainFailure(error, named), variablesOfPaths(env));
      record({ name, outcome: 'failed', detail: text });
    }
  };
  for (const [name, check] of options.onlyPlatforms === true ? [] : CHECKS) {
    await attempt(name, async () => record({ name, ...(await check(settings)) }));
  }
  if (options.onlyPlatforms !== true) {
    await attempt('connected accounts', () =>
      withInstance(settings, (credence) => checkOfficialApis(credence, settings.publicUrl, record)),
    );
  }
  await attempt('platforms', () => readCanaries(settings, options, record));
  return findings;
}

const CHECKS: readonly (readonly [string, Check])[] = [
  ['storage and keys', checkStorage],
  // Behind what makes the folder, if anything is kept in it.
  ['disk', checkDisk],
  ['Redis', checkRedis],
  ['clock and egress', checkClock],
  ['notary', checkNotary],
];

async function checkDisk({ DATA_DIR }: Settings): Promise<Outcome> {
  const isFolder = await stat(DATA_DIR).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return { outcome: 'skipped', detail: `there is no folder ${DATA_DIR}, which DATA_DIR names` };
  const { bavail, bsize } = await statfs(DATA_DIR);
  const free = bavail * bsize;
  const detail = `${(free / 1e9).toFixed(1)} GB free for ${DATA_DIR}`;
  return free < LEAST_FREE_BYTES ? { outcome: 'warning', detail: `${detail}; make room` } : ok(detail);
}

/** Opens the storage as the host would, without running a job. */
async function checkStorage(settings: Settings): Promise<Outcome> {
  return withInstance(settings, async (credence) => {
    const { ready, ...rest } = (await credence.health()) as { ready: boolean };
    const detail = JSON.stringify(rest);
    return ready ? ok('opened; the keys fit what is stored') : { outcome: 'failed', detail };
  });
}

async function checkRedis({ redisUrl }: Settings): Promise<Outcome> {
  if (redisUrl === undefined) return { outcome: 'skipped', detail: 'REDIS_URL is not set' };
  const { hostname, port } = new URL(redisUrl);
  await reachable(hostname, Number(port || 6379));
  return ok(`${hostname}:${port || 6379} accepts connections`);
}

/** The time of a server elsewhere: web proofs and signatures carry ours. */
async function checkClock(): Promise<Outcome> {
  const asked = Date.now();
  const response = await fetch('https://www.tiktok.com/', {
    method: 'HEAD',
    redirect: 'manual',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  }).catch(() => null);
  if (response === null) {
    return { outcome: 'warning', detail: 'www.tiktok.com cannot be reached: check the firewall and name servers' };
  }
  const told = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(told)) return ok('the internet can be reached');
  const drift = Math.abs(told - asked);
  if (drift <= MOST_CLOCK_DRIFT_MS) return ok('the internet can be reached, and the clock is right');
  return {
    outcome: 'failed',
    detail: `the clock is ${Math.round(drift / 1_000)} s off: signatures and proofs will be refused`,
  };
}

async function checkNotary({ notary: { url } }: Settings): Promise<Outcome> {
  if (url === undefined) return { outcome: 'skipped', detail: 'NOTARY_URL is not set; the embedded notary is used' };
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) }).catch((error: unknown) => {
    throw new DomainError('SERVICE_UNAVAILABLE', `${url} cannot be reached.`, { cause: error });
  });
  return ok(`${url} answers with ${response.status}`);
}

/**
 * Reads the configured canaries and the given ones, and compares the configured ones with what a host has seen of them. One
 * finding for each, and one for the sessions that were used; nothing is stored or announced.
 */
async function readCanaries(
  settings: Settings,
  { canaries, accept = false }: Pick<DoctorOptions, 'canaries' | 'accept'>,
  record: (finding: Finding) => void,
): Promise<void> {
  const targets = [...new Set([...settings.canaries.targets, ...canaries])];
  if (targets.length === 0) {
    const detail = 'set PLATFORM_CANARIES to posts and profiles, or name them with --canary, to read them';
    return record({ name: 'platforms', outcome: 'skipped', detail });
  }
  await withInstance(settings, async (credence) => {
    if (accept) await credence.canaries.forget();
    for (const target of targets) {
      const name = `canary ${target}`;
      try {
        record({ name, ...outcomeOf(await credence.canaries.check(target)) });
      } catch (error) {
        record({ name, outcome: 'failed', detail: explainFailure(error, variableOf).text });
      }
    }
    const { checks } = await credence.health();
    for (const [name, detail] of Object.entries(checks).filter(([each]) => each.endsWith('-sessions'))) {
      record({ name, outcome: detail === 'ok' ? 'ok' : 'warning', detail });
    }
  });
}

function outcomeOf({ verdict, missing, failure, fields, durationMs }: CanaryRecord): Outcome {
  if (failure !== null) return { outcome: 'failed', detail: `${failure.code}: ${failure.message}` };
  if (verdict === 'ok') return ok(`${fields.length} fields in ${durationMs} ms`);
  const detail = `lacks ${missing.join(', ')}. If this is how it is now, run doctor --platforms --accept`;
  return { outcome: 'failed', detail };
}

type Instance = Awaited<ReturnType<typeof import('credence')['createCredence']>>;

/** Starts an instance of the host's own configuration, without jobs, and stops it at the end. */
async function withInstance<T>(environment: Environment, use: (credence: Instance) => Promise<T>): Promise<T> {
  const { createCredence, silentLogger } = await import('credence');
  const { config } = await hostConfig({ ...environment, RUN_JOBS: false });
  // With a token of its own: a start without one would make the first, which the operator would never see.
  const credence = createCredence({ adminToken: randomUUID(), ...config }, { logger: silentLogger });
  try {
    await credence.start();
    return await use(credence);
  } finally {
    await credence.stop();
  }
}

async function reachable(host: string, port: number): Promise<void> {
  const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS });
  const silence = new DomainError('SERVICE_UNAVAILABLE', `${host}:${port} does not answer.`);
  socket.once('timeout', () => socket.destroy(silence));
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
