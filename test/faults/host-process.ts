/** Host processes of the fault tests: real children, killed for real. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createPlatformSimulator, type PlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { bundled } from '../support/bundled-host.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { openTestStorage, type StorageKind } from '../support/storage.ts';
import type { CrashPoint } from './crash-point.ts';
import type { FaultyHostCommand, FaultyHostReport, FaultyInstance } from './faulty-host.ts';

export const ADMIN_TOKEN = 'an-admin-token-of-the-fault-tests';

export type HostEnvironment = Readonly<Record<string, string>>;

export interface HostProcess {
  /** One for each instance in the process. */
  readonly baseUrls: readonly string[];
  readonly baseUrl: string;
  readonly pid: number;
  /** The signal that ended the process, or its exit code. @throws Error with what it logged when it lives on for minutes */
  ended(): Promise<NodeJS.Signals | number>;
  /** For `faulty-host.ts` only: the process dies when each of its instances has reached its point; null for none. */
  arm(...points: readonly (CrashPoint | null)[]): Promise<void>;
  /** Numbers of the instances that have reached their points. */
  readonly reached: ReadonlySet<number>;
  signal(name: NodeJS.Signals): void;
  /** `kill -9`, if it still lives. */
  kill(): Promise<void>;
  /** What it wrote to stderr, its end. */
  log(): string;
}

/** What the hosts of a test stand on. */
export interface Ground extends AsyncDisposable {
  readonly simulator: PlatformSimulator;
  readonly receiver: Receiver;
  readonly made: Awaited<ReturnType<typeof openTestStorage>>;
  readonly env: HostEnvironment;
}

const START_MS = 120_000;
/** Only a host that hangs takes so long; a busy machine may take one minute. */
const END_MS = 150_000;
const MOST_LOG = 20_000;

/** With their `DATA_DIR`. */
const alive = new Map<ChildProcess, string | undefined>();

/** For the top level of a test file that starts hosts: none of them outlives it, even if a test runs out of time. */
export function killHostsAfterAll(): void {
  afterAll(() => {
    for (const child of alive.keys()) child.kill('SIGKILL');
  });
}

/** The environment of a host over this storage that reads the simulator and may send to loopback. */
export function hostEnvironment(storageUrl: string, dataDir: string, simulator: PlatformSimulator): HostEnvironment {
  return {
    PATH: process.env.PATH ?? '',
    ...COMPILE_CACHE,
    STORAGE_URL: storageUrl,
    DATA_DIR: dataDir,
    PORT: '0',
    ADMIN_TOKEN,
    SERVICES: 'engagement',
    EGRESS_ALLOW: '127.0.0.0/8',
    INSTAGRAM_BASE_URL: simulator.instagramBaseUrl,
    TIKTOK_BASE_URL: simulator.tiktokBaseUrl,
    SCRAPER_PACING: 'off',
    DELAY_SCALE: '0.002',
    LOG_LEVEL: 'warn',
  };
}

/** Simulated platforms, a receiver and an empty storage, and the environment of hosts over them. They end with it. */
export async function openGround(kind: StorageKind): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'credence-faults-'));
  const opening = [createPlatformSimulator(), startReceiver(), openTestStorage(kind)] as const;
  const [simulator, receiver, made] = await Promise.all(opening);
  return {
    ...{ simulator, receiver, made, env: hostEnvironment(made.url, folder, simulator) },
    async [Symbol.asyncDispose]() {
      for (const [child, home] of alive) {
        if (home !== folder) continue;
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await Promise.all([made.close(), receiver.close(), simulator.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts `faulty-host.ts` with these instances; one by default. */
export async function startFaultyHost(
  env: HostEnvironment,
  instances: readonly FaultyInstance[] = [{}],
): Promise<HostProcess> {
  const child = spawn(process.execPath, [await bundled('test/faults/faulty-host.ts')], {
    env: { ...env, FAULTY_INSTANCES: JSON.stringify(instances) },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const host = track(child, env);
  const ready = new Promise<readonly string[]>((resolve) => {
    child.on('message', (message: FaultyHostReport) => {
      if ('listening' in message) resolve(message.listening);
    });
  });
  return host(await started(child, host([]), ready));
}

/** Starts `hosts/standalone/main.ts`, as an operator does; with `node` given, what its arguments name. */
export async function startStandaloneHost(env: HostEnvironment, node?: readonly string[]): Promise<HostProcess> {
  const child = spawn(process.execPath, node ?? [await bundled('hosts/standalone/main.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const host = track(child, env);
  let output = '';
  const ready = new Promise<readonly string[]>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const url = /^listening on (\S+)$/m.exec(output)?.[1];
      if (url !== undefined) resolve([url]);
    });
  });
  return host(await started(child, host([]), ready));
}

function track(child: ChildProcess, { DATA_DIR }: HostEnvironment): (baseUrls: readonly string[]) => HostProcess {
  alive.set(child, DATA_DIR);
  const reached = new Set<number>();
  child.on('message', (message: FaultyHostReport) => {
    if ('reached' in message) reached.add(message.reached);
  });
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString('utf8')).slice(-MOST_LOG);
  });
  const exited = once(child, 'exit').then(([code, signal]: (number | NodeJS.Signals | null)[]) => {
    alive.delete(child);
    return (signal as NodeJS.Signals | null) ?? (code as number);
  });
  return (baseUrls) => ({
    baseUrls,
    baseUrl: baseUrls[0] ?? '',
    pid: child.pid ?? 0,
    ended: () => within(exited, END_MS, () => `the host was to end, but lives: ${log}`),
    async arm(...points) {
      const command: FaultyHostCommand = { kind: 'arm', points };
      const done = once(child, 'message');
      child.send(command);
      await done;
    },
    reached,
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    log: () => log,
  });
}

/** Resolves with `ready`, unless the process ends or takes too long. */
async function started<T>(child: ChildProcess, host: HostProcess, ready: Promise<T>): Promise<T> {
  const dead = once(child, 'exit').then(() => {
    throw new Error(`the host ended while starting: ${host.log()}`);
  });
  dead.catch(() => undefined);
  try {
    return await within(Promise.race([ready, dead]), START_MS, () => `the host did not start: ${host.log()}`);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

async function within<T>(work: Promise<T>, milliseconds: number, message: () => string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(message())), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
