/** A PostgreSQL server of the binaries that this machine has (Debian's package `postgresql`). */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const run = promisify(execFile);

/** Debian keeps them out of the path. A client alone has a folder there too, without `initdb`. */
function binaries(): string {
  const servers = globSync('/usr/lib/postgresql/*/bin/initdb').map(dirname);
  const [newest] = servers.sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  if (newest === undefined) throw new Error("Debian's package postgresql is not installed.");
  return newest;
}

/** Its programs refuse to run as root. */
async function unprivileged(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}

/** Makes the folder, a cluster in it, and starts that. */
export async function startPostgres(folder: string, ...settings: readonly string[]) {
  const bin = binaries();
  const user = await unprivileged();
  await mkdir(folder);
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? 0);
  const data = join(folder, 'data');
  const as = { ...user, cwd: folder };
  const cluster = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'];
  await run(join(bin, 'initdb'), cluster, as);
  const port = await freePort();
  const given = [`-p ${port}`, `-k ${folder}`, '-c listen_addresses=127.0.0.1', ...settings].join(' ');
  const control = (...what: readonly string[]) =>
    run(join(bin, 'pg_ctl'), [...what, '-w', '-D', data, '-l', join(folder, 'log'), '-o', given], as);
  await control('start');
  // Its end of the pipe closes also if this process is killed.
  const stop = `read _; exec '${join(bin, 'pg_ctl')}' stop -m immediate -D '${data}'`;
  const watch = spawn('sh', ['-c', stop], { ...as, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    /** As after a crash: open transactions are gone, and what is committed is read from the log. */
    crash: () => control('restart', '-m', 'immediate'),
    async stop() {
      watch.stdin.end();
      await once(watch, 'exit');
    },
  };
}
