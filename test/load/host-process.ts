/** The standalone host in a process of its own, with its event loop and its memory watched. */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createCaller } from '../../hosts/demo/caller.ts';
import type { Figures, WatchRequest } from './watch.ts';

export interface HostProcess extends AsyncDisposable {
  readonly baseUrl: string;
  readonly token: string;
  /** Starts the measuring again. */
  begin(): void;
  figures(): Promise<Figures>;
  /** Bytes of the heap after a collection, which holds the host up for its time. */
  liveHeap(): Promise<number>;
  /** One call of the API with the admin token. @throws Error when the answer is no success */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** What it wrote to stderr: nothing but warnings and errors. */
  readonly stderr: () => string;
}

const MAIN = fileURLToPath(new URL('../../hosts/standalone/main.ts', import.meta.url));
const WATCH = new URL('./watch.ts', import.meta.url).href;

/** Starts the host on SQLite in a temporary directory, reading the simulator without pacing. */
export async function startHostProcess(env: Readonly<Record<string, string>>): Promise<HostProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-load-'));
  const token = randomBytes(24).toString('base64url');
  const child = fork(MAIN, [], {
    execArgv: ['--conditions=credence-source', '--import', WATCH],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      DATA_DIR: directory,
      ADMIN_TOKEN: token,
      SERVICES: 'engagement',
      SCRAPER_PACING: 'off',
      EGRESS_ALLOW: '127.0.0.0/8',
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-65_536);
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const baseUrl = await readyUrl(child.stdout as NodeJS.ReadableStream);
    if (baseUrl === undefined) throw new Error(`The host ended before it was ready:\n${stderr}`);
    child.stdout?.resume();
    const ask = async <T>(request: WatchRequest): Promise<T> => {
      child.send(request);
      const [answer] = await once(child, 'message');
      return answer as T;
    };
    return {
      baseUrl,
      token,
      stderr: () => stderr,
      begin: () => void child.send('begin' satisfies WatchRequest),
      figures: () => ask<Figures>('figures'),
      liveHeap: () => ask<number>('live-heap'),
      call: createCaller(baseUrl, token),
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readyUrl(stdout: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stdout })) {
    const url = /^listening on (http:\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  return undefined;
}
