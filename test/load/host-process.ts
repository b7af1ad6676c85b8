/** The standalone host in a process of its own, with its event loop and its memory watched. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { startChild } from '../support/child-host.ts';
import { newFolder } from '../support/new-folder.ts';
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

const WATCH = new URL('./watch.ts', import.meta.url).href;

/** Starts the host on SQLite in a temporary directory, reading the simulator without pacing. */
export async function startHostProcess(env: Readonly<Record<string, string>>): Promise<HostProcess> {
  const directory = newFolder();
  const token = randomBytes(24).toString('base64url');
  const host = startChild({
    ipc: true,
    nodeArgs: ['--import', WATCH],
    env: {
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
  const stop = async () => {
    await host.stop();
  };
  const ask = async <T>(request: WatchRequest): Promise<T> => {
    host.process.send(request);
    const [answer] = await once(host.process, 'message');
    return answer as T;
  };
  try {
    const baseUrl = await host.ready();
    return {
      baseUrl,
      token,
      stderr: host.stderr,
      begin: () => void host.process.send('begin' satisfies WatchRequest),
      figures: () => ask<Figures>('figures'),
      liveHeap: () => ask<number>('live-heap'),
      call: callerOf(baseUrl, token),
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Calls as its administrator makes them, without the retries of the client. */
function callerOf(baseUrl: string, token: string): HostProcess['call'] {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (method, path, body) => {
    const response = await fetch(baseUrl + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };
}
