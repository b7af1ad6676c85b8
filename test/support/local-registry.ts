/** A registry of npm that has the packages which are installed here: `npm install` runs as it is written, without the network. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Listening, listen } from './listen.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TARBALL = '/-/tarball?folder=';

interface Installed {
  readonly name: string;
  readonly version: string;
}

/** Set it as `npm_config_registry`. Packages are sent as they are installed, so scripts of theirs have run already. */
export function startRegistry(): Promise<Listening> {
  const folders = installedFolders();
  return listen(
    createServer((request, response) => {
      const { url = '/', headers } = request;
      if (url.startsWith(TARBALL)) {
        const folder = decodeURIComponent(url.slice(TARBALL.length));
        if (![...folders.values()].flat().includes(folder)) return response.writeHead(404).end();
        const path = join(ROOT, folder);
        const args = [
          '-cf',
          '-',
          '--use-compress-program=gzip -1',
          '--exclude=node_modules',
          '-C',
          dirname(path),
          basename(path),
        ];
        return spawn('tar', args, { stdio: ['ignore', 'pipe', 'ignore'] }).stdout.pipe(response);
      }
      const name = decodeURIComponent(url.slice(1));
      const versions = (folders.get(name) ?? []).map((folder) => {
        const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Installed;
        const tarball = `http://${headers.host}${TARBALL}${encodeURIComponent(folder)}`;
        return { ...manifest, dist: { tarball } };
      });
      // The folder outside of all others has what this project asks for.
      const latest = versions[0]?.version;
      if (latest === undefined) return response.writeHead(404).end('{}');
      const listed = Object.fromEntries(versions.map((each) => [each.version, each]));
      return response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: listed }));
    }),
  );
}

/** By the names of the packages; those of this repository are not among them. */
function installedFolders(): ReadonlyMap<string, readonly string[]> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly link?: true }>>;
  };
  const folders = new Map<string, string[]>();
  for (const [folder, { link }] of Object.entries(packages)) {
    if (!folder.includes('node_modules/') || link || !existsSync(join(ROOT, folder, 'package.json'))) continue;
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    folders.set(
      name,
      [...(folders.get(name) ?? []), folder].sort((one, other) => one.length - other.length),
    );
  }
  return folders;
}
