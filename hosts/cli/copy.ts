/** `credence copy`: moves a whole store into an empty one, of the same kind or another. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type CopyEnd, copyEndOf, copyStore } from 'credence/host';
import type { Surroundings } from './api-commands.ts';
import { format } from './output.ts';
import { createProgress, type ShowProgress } from './progress.ts';
import { UsageError } from './usage-error.ts';

interface CopyOptions {
  readonly from: string;
  readonly to: string;
  readonly json?: boolean;
}

const EXAMPLE = `
Stop every host of the source first. Keep secrets.key: it opens the secrets in the copy.
If the command is cut short, run it again: it continues.

Example:
  credence copy --from sqlite:./data/credence.db --to mongodb://127.0.0.1/credence`;

/** Adds `copy`. */
export function addCopyCommand(
  program: Command,
  around: Pick<Surroundings, 'print'> & { readonly showProgress: ShowProgress | undefined },
  signal: AbortSignal,
): void {
  program
    .command('copy')
    .description('copies a whole store into an empty one, and checks the copy by counts and digests')
    .requiredOption('--from <url>', 'the source: sqlite:PATH or mongodb://…')
    .requiredOption('--to <url>', 'an empty store: sqlite:PATH or mongodb://…')
    .addHelpText('after', EXAMPLE)
    .action(async (_: unknown, command: Command) => {
      const { from, to, json } = command.optsWithGlobals<CopyOptions>();
      const source = await identityOf(from);
      if (await isSameStore(from, to))
        throw new UsageError('--from and --to are the same store. Copy into another one.');
      const ends: CopyEnd[] = [];
      const progress = createProgress(around.showProgress, null);
      try {
        for (const url of [from, to]) {
          const end = await copyEndOf(url).catch(refuseUrl);
          ends.push(end);
          await end.open();
        }
        const [first, second] = ends as [CopyEnd, CopyEnd];
        const totals = await copyStore({
          from: first,
          to: second,
          source,
          signal,
          onProgress: ({ phase, kind, done }) => progress.at(done, `${kind} (${phase})`),
        });
        progress.end();
        if (json === true) return around.print(JSON.stringify({ data: totals }));
        const rows = totals
          .filter(({ count }) => count > 0)
          .map(({ digest, ...rest }) => ({ ...rest, digest: digest.slice(0, 16) }));
        around.print(`${format(rows, 'text')}\nThe copy is complete and has the same digests. Set STORAGE_URL to it.`);
      } finally {
        progress.end();
        for (const end of ends) await end.close();
      }
    });
}

/** Names the source without its password. @throws UsageError if a file is missing */
async function identityOf(url: string): Promise<string> {
  if (!url.startsWith('sqlite:')) return createHash('sha256').update(url).digest('hex');
  const path = resolve(pathOf(url));
  const found = await stat(path).catch(() => null);
  if (found === null) throw new UsageError(`--from: there is no file ${path}.`);
  return createHash('sha256').update(`sqlite:${path}`).digest('hex');
}

/** Whether two URLs name one store: one file, also by a link, or one database of the same servers. */
async function isSameStore(from: string, to: string): Promise<boolean> {
  if (from.startsWith('sqlite:') && to.startsWith('sqlite:')) {
    const [source, target] = await Promise.all([from, to].map((url) => stat(resolve(pathOf(url))).catch(() => null)));
    return source != null && target != null && source.ino === target.ino && source.dev === target.dev;
  }
  return from === to || (mongoStore(from) !== null && mongoStore(from) === mongoStore(to));
}

/** Servers and database of a MongoDB URL, without user and options; null for another URL. */
function mongoStore(url: string): string | null {
  const [, hosts, database = ''] = /^mongodb(?:\+srv)?:\/\/(?:[^/?]*@)?([^/?]+)(?:\/([^?]*))?/.exec(url) ?? [];
  return hosts === undefined ? null : `${hosts.toLowerCase().split(',').sort().join(',')}/${database}`;
}

function pathOf(url: string): string {
  return url.slice('sqlite:'.length);
}

function refuseUrl(error: unknown): never {
  throw error instanceof RangeError ? new UsageError(error.message) : error;
}
