/** Registers the creators of a CSV file. */

import { CredenceApiError, CredenceConnectionError } from '@credence/client';
import { Button, Code, Group, Paper, Progress, Stack, Text, TextInput } from '@mantine/core';
import { type NamedRow, readTable } from '../../../csv/index.ts';
import { useAction } from '../parts/action.tsx';
import { describe, Failure } from '../parts/failure.tsx';
import { number } from '../parts/format.tsx';
import { Page, Section } from '../parts/page.tsx';
import { sessionSignal, useKept } from '../parts/queries.ts';
import { type Columns, Rows } from '../parts/rows.tsx';
import { useClient } from '../session.tsx';

const REQUIRED = ['externalId', 'platform', 'handle'];
const OPTIONAL = ['email', 'displayName'];
const MOST_ROWS = 10_000;
/** Each waits for the profile of its creator; the platforms are read at a limited rate anyway. */
const AT_A_TIME = 4;

interface Refused extends NamedRow {
  readonly reason: string;
}

const COLUMNS: Columns<Refused> = {
  Line: ({ line }) => line,
  'External id': ({ values }) => <span className="break">{values.externalId}</span>,
  Handle: ({ values }) => <span className="break">{values.handle}</span>,
  Why: ({ reason }) => <span className="break">{reason}</span>,
};

const NOTHING = {
  /** The name of the chosen file: a field of this type forgets it when the page is left. */
  file: '',
  rows: [] as readonly NamedRow[],
  problem: null as Error | null,
  done: 0,
  refused: [] as readonly Refused[],
  /** What stops the import; null unless it runs. */
  stop: null as AbortController | null,
};

export default function ImportCreators() {
  const client = useClient();
  const [{ file: name, rows, problem, done, refused, stop }, change] = useKept('import', NOTHING);
  const isRunning = stop !== null;

  async function choose(file: File | undefined) {
    change(() => NOTHING);
    if (file === undefined) return;
    try {
      const table = readTable(await file.text(), REQUIRED, OPTIONAL);
      if (table.length > MOST_ROWS)
        throw new Error(`The file has ${table.length} rows. Split it: at most ${MOST_ROWS} are imported at once.`);
      change(() => ({ ...NOTHING, file: file.name, rows: table }));
    } catch (error) {
      change(() => ({ ...NOTHING, problem: error as Error }));
    }
  }

  async function register(row: NamedRow, controller: AbortController, signal: AbortSignal) {
    const { externalId = '', platform = '', handle = '', ...more } = row.values;
    try {
      await client.creators.register({ externalId, platform, handle, ...more }, { signal });
    } catch (error) {
      if (signal.aborted) return;
      if (isOfAll(error)) {
        change((before) => ({ ...before, problem: error as Error }));
        controller.abort();
        return;
      }
      const reason = describe(error as Error);
      change((before) => ({ ...before, refused: [...before.refused, { ...row, reason }] }));
    }
    change((before) => ({ ...before, done: before.done + 1 }));
  }

  async function registerAll() {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, sessionSignal()]);
    change(() => ({ ...NOTHING, file: name, rows, stop: controller }));
    // Shared by the workers: each takes the next row.
    const queue = rows.values();
    const work = async () => {
      for (const row of queue) {
        if (signal.aborted) return;
        await register(row, controller, signal);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  }

  const run = useAction(registerAll, { keep: () => change((before) => ({ ...before, stop: null })) });
  const share = rows.length === 0 ? 0 : (100 * done) / rows.length;
  return (
    <Page title="Import creators" above={{ to: '/creators', label: 'Creators' }}>
      <Paper withBorder p="md">
        <Stack>
          <Text>
            The first line names the columns: <Code>externalId</Code>, <Code>platform</Code> and <Code>handle</Code>,
            and <Code>email</Code> and <Code>displayName</Code> if you have them. Rows that are registered already
            change nothing.
          </Text>
          <TextInput
            label="CSV file"
            description={name && `The rows are those of ${name}.`}
            type="file"
            accept=".csv,text/csv"
            disabled={isRunning}
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
          {problem && <Failure error={problem} />}
          <Group>
            <Button disabled={rows.length === 0} loading={isRunning} onClick={() => run.mutate()}>
              {`Import ${number(rows.length)} rows`}
            </Button>
            {isRunning && (
              <Button variant="default" onClick={() => stop.abort()}>
                Stop
              </Button>
            )}
          </Group>
          {rows.length > 0 && (
            <>
              <Progress value={share} aria-label="Progress of the import" />
              <Text role="status">
                {`${number(done)} of ${number(rows.length)} done, ${number(refused.length)} refused.`}
              </Text>
            </>
          )}
        </Stack>
      </Paper>
      {refused.length > 0 && (
        <Section title="What was refused">
          <Rows rows={refused} columns={COLUMNS} rowKey={({ line }) => line} empty="None." />
        </Section>
      )}
    </Page>
  );
}

/** A host that is down or overloaded, or a token that is refused, is no fault of a row. */
function isOfAll(error: unknown): boolean {
  if (error instanceof CredenceConnectionError) return true;
  return error instanceof CredenceApiError && ([401, 403, 429].includes(error.status) || error.status >= 500);
}
