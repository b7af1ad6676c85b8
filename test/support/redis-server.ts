/** A real redis-server on a free loopback port; nothing of it is left behind. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { newFolder } from './new-folder.ts';

export type TestRedis = Awaited<ReturnType<typeof startRedis>>;

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

interface RedisOptions {
  /** None is asked for by default. */
  readonly password?: string;
  /** A cluster of one, with all the keys. */
  readonly isCluster?: boolean;
  /** Flushes a log every second, instead of keeping everything in memory alone. */
  readonly isDurable?: boolean;
}

export async function startRedis(options: RedisOptions = {}) {
  const directory = newFolder();
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    if (child !== undefined) return;
    const { password: requirepass = '', isDurable = false } = options;
    // By default it takes the port 10,000 further on, which may be taken.
    const bus = { 'cluster-enabled': 'yes', 'cluster-announce-ip': '127.0.0.1', 'cluster-port': await freePort() };
    const cluster = options.isCluster ? bus : {};
    const log = isDurable ? { appendonly: 'yes', appendfsync: 'everysec' } : { appendonly: 'no' };
    const flags = { port, bind: '127.0.0.1', save: '', ...log, dir: directory, requirepass, ...cluster };
    const started = spawn(
      'redis-server',
      Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)]),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    child = started;
    let output = '';
    await new Promise<void>((resolve, reject) => {
      started.once('error', reject);
      started.once('exit', () => reject(new Error(`redis-server ended: ${output}`)));
      started.stdout.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-4_000);
        if (output.includes('Ready to accept connections')) resolve();
      });
    });
  }

  /** Ends the server, as a crash would; what it counted is gone. */
  async function stop(): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  }

  await start();
  // The URL is the same over stops and starts.
  return { url: `redis://127.0.0.1:${port}`, start, stop, close: stop };
}

/** A sentinel, with a replica of the primary `main`: that takes over when the primary is gone for half a second. */
export async function startSentinel(primary: TestRedis, replica: TestRedis): Promise<Pick<TestRedis, 'url' | 'close'>> {
  const directory = newFolder();
  const port = await freePort();
  const [main, other] = [new URL(primary.url), new Redis(replica.url)];
  await other.replicaof(main.hostname, Number(main.port));
  other.disconnect();
  const file = join(directory, 'sentinel.conf');
  const watch = `sentinel monitor main ${main.hostname} ${main.port} 1\nsentinel down-after-milliseconds main 500`;
  await writeFile(file, `port ${port}\nbind 127.0.0.1\ndir ${directory}\n${watch}\n`);
  const child = spawn('redis-server', [file, '--sentinel'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const isKnown = (output: string) => output.includes('+slave');
  for (let output = ''; !isKnown(output); ) output += String((await once(child.stdout, 'data'))[0]);
  child.stdout.resume();
  return {
    url: `redis://127.0.0.1:${port}`,
    async close() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
