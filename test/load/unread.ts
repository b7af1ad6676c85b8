/**
 * Measures what clients cost that never read: `node test/load/unread.ts`. Prints the memory of a host and how soon `/healthz`
 * answers. 400 connections send 30 requests each, then 1,500 send 200 each, and none reads an
 * answer.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createApp } from '../../hosts/standalone/app.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import { LISTEN_BACKLOG } from '../../plugins/http/protocol-errors.ts';

const REQUEST = 'GET /openapi.json HTTP/1.1\r\nhost: a.test\r\n\r\n';
const SCENES = [
  { name: '400 that pipeline 30 requests', clients: 400, requests: 30 },
  { name: '1,500 that pipeline 200 requests', clients: 1_500, requests: 200 },
] as const;
/** The first burst, in which all of them connect and send. */
const BURST_MS = 10_000;
const SECONDS = [10, 60] as const;

interface Figures {
  /** Bytes; what the process has once taken from the system it may keep. */
  readonly rss: number;
  /** Bytes after a collection. */
  readonly live: number;
  readonly connections: number;
}

/** The host: sends its port, then its figures when it is asked. */
async function serve(): Promise<void> {
  const credence = createCredence({ storage: { url: 'sqlite::memory:' }, adminToken: 'a'.repeat(32) });
  await credence.start();
  const app = await createApp(credence);
  await app.listen({ port: 0, host: '127.0.0.1', backlog: LISTEN_BACKLOG });
  process.on('message', () => {
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    const open = (_error: Error | null, connections: number) =>
      process.send?.({ rss, live: heapUsed + external, connections } satisfies Figures);
    app.server.getConnections(open);
  });
  process.on('disconnect', () => process.exit());
  process.send?.((app.server.address() as AddressInfo).port);
}

async function healthMs(port: number): Promise<number> {
  const startedAt = performance.now();
  await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: 'close' } });
  return performance.now() - startedAt;
}

/** Asks one time after the other, each on a new connection, and says how long the answers took. */
async function healthDuring(port: number, ms: number): Promise<string> {
  const until = performance.now() + ms;
  const taken: number[] = [];
  while (performance.now() < until) {
    taken.push(await healthMs(port));
    await sleep(50);
  }
  taken.sort((a, b) => a - b);
  const [median, worst] = [taken[taken.length >> 1], taken.at(-1)].map((each) => Math.round(each ?? 0));
  return `/healthz ${taken.length} times in ${ms / 1_000} s, median ${median} ms, worst ${worst} ms`;
}

async function measure({ clients, requests }: (typeof SCENES)[number]): Promise<string> {
  const child = fork(fileURLToPath(import.meta.url), ['serve'], {
    execArgv: ['--expose-gc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  const figures = async (): Promise<string> => {
    child.send('figures');
    const [{ rss, live, connections }] = (await once(child, 'message')) as [Figures];
    const [all, held] = [rss, live].map((bytes) => Math.round(bytes / 2 ** 20));
    return `${all} MiB (${held} live, ${connections} connections)`;
  };
  await healthMs(port);
  const shown = [`before ${await figures()}`];
  const sockets: Socket[] = [];
  for (let count = 0; count < clients; count += 1) {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write(REQUEST.repeat(requests));
    sockets.push(socket);
  }
  const startedAt = performance.now();
  shown.push(await healthDuring(port, BURST_MS));
  for (const second of SECONDS) {
    await sleep(Math.max(0, startedAt + second * 1_000 - performance.now()));
    const health = Math.round(await healthMs(port));
    shown.push(`after ${second} s ${await figures()}, /healthz in ${health} ms`);
  }
  for (const socket of sockets) socket.destroy();
  child.disconnect();
  await once(child, 'exit');
  return shown.join('; ');
}

if (process.argv[2] === 'serve') await serve();
else for (const scene of SCENES) console.log(`${scene.name}: ${await measure(scene)}`);
