/** `credence migrate`: makes what a storage lacks, before a deployment. */
import type { Command } from 'commander';
import { storageOf } from 'credence/host';
import { checkStoreUrl } from './copy.ts';
import type { Surroundings } from './surroundings.ts';

interface MigrateOptions {
  readonly storage: string;
  readonly dryRun?: true;
  readonly check?: true;
  readonly json?: boolean;
}

const HELP = `
\`start()\` does the same. With \`migrate: 'never'\` in the application, its user needs no rights to create tables or indexes.

Example:
  credence migrate --storage postgres://owner@127.0.0.1/app --dry-run`;

/** Adds `migrate`. */
export function addMigrateCommand(program: Command, { print, fail, env }: Surroundings): void {
  program
    .command('migrate')
    .description('makes the tables or indexes that a storage lacks')
    .requiredOption(
      '--storage <url>',
      'postgres://…, mongodb://… or sqlite:PATH; STORAGE_URL by default',
      env.STORAGE_URL,
    )
    .option('--dry-run', 'prints what it would run, and runs nothing')
    .option('--check', 'exits with 1 if something is missing, and runs nothing')
    .addHelpText('after', HELP)
    .action(async (_: unknown, command: Command) => {
      const { storage: url, dryRun, check, json } = command.optsWithGlobals<MigrateOptions>();
      checkStoreUrl(url);
      const storage = storageOf(url);
      const missing = await storage.missing();
      if (dryRun !== true && check !== true && missing.length > 0) {
        await storage.open();
        await storage.close();
      }
      if (check === true && missing.length > 0) fail();
      if (json === true) return print(JSON.stringify({ data: missing }));
      if (missing.length === 0) return print('Nothing is missing.');
      if (dryRun === true) return print(missing.map((statement) => `${statement};`).join('\n'));
      print(`${missing.length} statements ${check === true ? 'are missing. Run credence migrate.' : 'were run.'}`);
    });
}
