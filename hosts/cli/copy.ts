/** `credence copy`: moves a whole store into an empty one, of the same kind or another. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { copyStore, storageOf, storageUrl } from 'credence/host';
import { format } from './output.ts';
import { createProgress } from './progress.ts';
import type { Surroundings } from './surroundings.ts';
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
export function addCopyCommand(program: Command, { print, showProgress, signal }: Surroundings): void {
  program
    .command('copy')
    .description('copies a whole store into an empty one, and compares both ends')
    .requiredOption('--from <url>', 'the source: sqlite:PATH, postgres://… or mongodb://…')
    .requiredOption('--to <url>', 'an empty store: sqlite:PATH, postgres://… or mongodb://…')
    .addHelpText('after', EXAMPLE)
    .action(async (_: unknown, command: Command) => {
      const { from, to, json } = command.optsWithGlobals<CopyOptions>();
      if (from === to) throw new UsageError('--from and --to are the same store. Copy into another one.');
      const file = /^sqlite:(.*)/.exec(from)?.[1];
      if (file !== undefined && !existsSync(file)) throw new UsageError(`--from: there is no file ${file}.`);
      for (const url of [from, to]) checkStoreUrl(url);
      const [source, target] = [storageOf(from), storageOf(to)];
      const progress = createProgress(showProgress, null);
      try {
        // Opening the source also completes deletions that a crash cut short: what they leave is not copied.
        for (const store of [source, target]) await store.open();
        const totals = await copyStore({
          from: source.records,
          to: target.records,
          signal,
          onProgress: ({ phase, kind, done }) => progress.at(done, `${kind} (${phase})`),
        });
        progress.end();
        if (json === true) return print(JSON.stringify({ data: totals }));
        const rows = totals.filter(({ count }) => count > 0);
        print(`${format(rows, 'text')}\nThe copy is complete. Set STORAGE_URL to it.`);
      } finally {
        progress.end();
        for (const store of [source, target]) await store.close();
      }
    });
}

/** @throws UsageError for what is no URL of a store */
export function checkStoreUrl(url: string): void {
  const checked = storageUrl.safeParse(url);
  if (checked.success && !url.includes(':memory:')) return;
  throw new UsageError(`A store ${checked.error?.issues[0]?.message ?? 'must be a file'}.`);
}
