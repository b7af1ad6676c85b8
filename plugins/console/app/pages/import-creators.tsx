/** Registers the creators of a CSV file. */

import { CredenceApiError, CredenceConnectionError } from '@credence/client';
import { Button, Code, Group, Paper, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type NamedRow, readTable } from '../../../csv/index.ts';
import { describe, Failure } from '../parts/failure.tsx';
import { number } from '../parts/format.tsx';
import { Page, Section } from '../parts/page.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { useClient } from '../session.tsx';

const REQUIRED = ['externalId', 'platform', 'handle'];
const OPTIONAL = ['email', 'displayName'];
const MOST_ROWS = 10_000;
/** Each waits for the profile of its creator; the platforms are read at a limited rate anyway. */
const AT_A_TIME = 4;

interface Refused extends NamedRow {
  readonly reason: string;
}

const COLUMNS: readonly Column<Refused>[] = [
  { header: 'Line', cell: ({ line }) => line },
  { header: 'External id', cell: ({ values }) => <span className="break">{values.externalId}</span> },
  { header: 'Handle', cell: ({ values }) => <span className="break">{values.handle}</span> },
  { header: 'Why', cell: ({ reason }) => <span className="break">{reason}</span> },
];

export default function ImportCreators() {
  const client = useClient();
  const queries = useQueryClient();
  const [rows, setRows] = useState<readonly NamedRow[]>([]);
  const [problem, setProblem] = useState<Error | null>(null);
  const [done, setDone] = useState(0);
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const [isRunning, setIsRunning] = useState(false);
  const stop = useRef<AbortController | null>(null);

  async function choose(file: File | undefined) {
    setDone(0);
    setRefused([]);
    setProblem(null);
    setRows([]);
    if (file === undefined) return;
    try {
      const table = readTable(await file.text(), REQUIRED, OPTIONAL);
      if (table.length > MOST_ROWS)
        throw new Error(`The file has ${table.length} rows. Split it: at most ${MOST_ROWS} are imported at once.`);
      setRows(table);
    } catch (error) {
      setProblem(error as Error);
    }
  }

  async function register(row: NamedRow, signal: AbortSignal) {
    const { externalId = '', platform = '', handle = '', ...more } = row.values;
    try {
      await client.creators.register({ externalId, platform, handle, ...more }, { signal });
    } catch (error) {
      if (signal.aborted) return;
      if (isOfAll(error)) {
        setProblem(error as Error);
        stop.current?.abort();
        return;
      }
      setRefused((before) => [...before, { ...row, reason: describe(error as Error) }]);
    }
    setDone((before) => before + 1);
  }

  async function run() {
    const controller = new AbortController();
    stop.current = controller;
    const { signal } = controller;
    setDone(0);
    setRefused([]);
    setProblem(null);
    setIsRunning(true);
    // Shared by the workers: each takes the next row.
    const queue = rows.values();
    const work = async () => {
      for (const row of queue) {
        if (signal.aborted) return;
        await register(row, signal);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    setIsRunning(false);
    await queries.invalidateQueries();
  }

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
            type="file"
            accept=".csv,text/csv"
            disabled={isRunning}
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
          {problem && <Failure error={problem} />}
          <Group>
            <Button disabled={rows.length === 0} loading={isRunning} onClick={() => void run()}>
              {`Import ${number(rows.length)} rows`}
            </Button>
            {isRunning && (
              <Button variant="default" onClick={() => stop.current?.abort()}>
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
          <Rows label="Refused rows" rows={refused} columns={COLUMNS} rowKey={({ line }) => line} empty="None." />
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
