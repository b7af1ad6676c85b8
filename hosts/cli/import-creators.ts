/** `credence creators import`: registers the creators of a CSV file. */
import { appendFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { MAX_RETRY_AFTER_MS } from '../../core/retry-after.ts';
import { type NamedRow, readTable } from '../../plugins/csv/index.ts';
import { call, RefusedError, type Target } from './call.ts';
import { readInput } from './files.ts';
import { groupOf, type Operation, operationNamed } from './operations.ts';
import { csv } from './output.ts';
import { createProgress, type ShowProgress } from './progress.ts';
import type { Surroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

const REQUIRED = ['externalId', 'platform', 'handle'] as const;
const OPTIONAL = ['email', 'displayName'] as const;
const COLUMNS: readonly string[] = [...REQUIRED, ...OPTIONAL];

/** Rows that are sent at a time. */
const AT_ONCE = 8;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const DEFAULT_WAIT_SECONDS = 5;
const MAX_WAITS = 60;

interface ImportOptions {
  readonly errors?: string;
  readonly json?: boolean;
}

/** Adds `import` to the group `creators`. It fails if a row was refused. */
export function addImportCommand(program: Command, around: Surroundings): void {
  const { operations, signal } = around;
  groupOf(program, 'creators')
    .command('import')
    .description('registers the creators of a CSV file; rows that are registered stay as they are')
    .argument('<file>', `CSV with the columns ${REQUIRED.join(', ')}, and ${OPTIONAL.join(', ')} if known`)
    .option('--errors <file>', 'where rows that are refused go, with line and reason; FILE.errors.csv by default')
    .addHelpText('after', '\nExample:\n  credence creators import creators.csv --errors refused.csv')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ImportOptions>();
      const target = await around.target(command);
      const register = operationNamed(operations, 'creators', 'register');
      const outcome = await importCreators({ file, target, register, signal, ...options }, around.showProgress);
      const { done, failed, errors, isCutShort } = outcome;
      if (options.json === true) around.print(JSON.stringify(outcome));
      else if (outcome.total === 0) around.print(`${file} has no rows: nobody is registered.`);
      else {
        if (isCutShort) around.print(`Stopped after ${done} rows. Run the command again for the others.`);
        around.print(
          `${done - failed} rows are registered${failed === 0 ? '.' : `, ${failed} were refused: see ${errors}.`}`,
        );
      }
      if (failed > 0 || isCutShort) around.fail();
    });
}

interface Import {
  readonly file: string;
  readonly target: Target;
  readonly register: Operation;
  readonly signal: AbortSignal;
  readonly errors?: string;
}

async function importCreators(given: Import, show: ShowProgress | undefined) {
  const { file, signal, errors = `${file}.errors.csv` } = given;
  const rows = await readRows(file);
  const total = rows.length;
  const progress = createProgress(show, total);
  let [done, failed] = [0, 0];
  await rm(errors, { force: true });
  try {
    while (done < total && !signal.aborted) {
      const batch = rows.slice(done, done + AT_ONCE);
      const refusals = (await Promise.all(batch.map((row) => refusalOf(row, given)))).filter((each) => each !== null);
      if (refusals.length > 0) {
        const text = csv(refusals);
        await appendFile(errors, failed === 0 ? `${text}\r\n` : `${text.slice(text.indexOf('\r\n') + 2)}\r\n`);
      }
      done += batch.length;
      failed += refusals.length;
      progress.at(done, failed === 0 ? '' : `, ${failed} refused`);
    }
  } catch (error) {
    // The batch under way is sent again by the next import: registering is idempotent.
    if (!signal.aborted) throw error;
  } finally {
    progress.end();
  }
  return { total, done, failed, errors: failed === 0 ? null : errors, isCutShort: done < total };
}

/** Null if the row is registered, else what the file of errors says of it. The file may be put right, and imported as it is. */
async function refusalOf({ line, values }: NamedRow, { target, register, signal }: Import) {
  const missing = REQUIRED.filter((name) => values[name] === undefined);
  const refused = (code: string, reason: string) => ({
    line,
    code,
    reason,
    ...Object.fromEntries(COLUMNS.map((name) => [name, values[name] ?? ''])),
  });
  if (missing.length > 0) return refused('INVALID_ROW', `${missing.join(', ')} missing`);
  for (let waits = 0; ; waits += 1) {
    try {
      await call(target, register, { body: values });
      return null;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      const isBusy = error.status === 429 || error.status === 503;
      // A wrong token or a broken instance would refuse every row.
      const isOfAll = error.status === 401 || error.status === 403 || error.status >= 500;
      if (!isBusy && !isOfAll) return refused(error.code ?? 'ERROR', error.message);
      if (!isBusy || waits >= MAX_WAITS) throw error;
      const wait = (error.retryAfterSeconds ?? DEFAULT_WAIT_SECONDS) * 1_000;
      await sleep(Math.min(wait, MAX_RETRY_AFTER_MS), undefined, { signal });
    }
  }
}

/** Reads the whole file: what is wrong with it is said before a row is sent. @throws UsageError */
async function readRows(file: string): Promise<readonly NamedRow[]> {
  const bytes = await readInput(file);
  if (bytes.length > MAX_FILE_BYTES)
    throw new UsageError(`${file} is larger than 64 MiB. Split it into several files.`);
  try {
    return readTable(bytes.toString('utf8'), REQUIRED, OPTIONAL);
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
}
