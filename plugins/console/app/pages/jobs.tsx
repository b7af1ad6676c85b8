/** The background work: what waits, runs and was given up, and running it again. */

import type { CredenceClient, Job } from '@credence/client';
import { Group } from '@mantine/core';
import { ActionButton } from '../parts/action.tsx';
import { every } from '../parts/connection.tsx';
import { FilterSelect, useFilters } from '../parts/filters.tsx';
import { number, Time, term, words } from '../parts/format.tsx';
import { Page } from '../parts/page.tsx';
import { PagedRows, type RowPages, useFirstPage, useList } from '../parts/reads.tsx';
import type { Columns } from '../parts/rows.tsx';

const STATES: readonly Job['state'][] = ['dead', 'running', 'waiting'];
const TYPES: readonly Job['type'][] = [
  'verify-attempt',
  'issue-reward',
  'check-engagement',
  'sweep-comments',
  'settle-comments',
  'refresh-metrics',
  'fetch-likers',
  'read-canary',
];
const EMPTY = {
  dead: 'No job was given up. Nothing is to do here.',
  running: 'No job runs now.',
  waiting: 'No job waits.',
} as const;

const COLUMNS: Columns<Job> = {
  Kind: (job) => term(job.type),
  About: ({ payload }) => <span className="break">{aboutOf(payload)}</span>,
  Runs: ({ runs }) => number(runs),
  Reason: ({ error }) => <span className="break">{error ?? '–'}</span>,
  Queued: ({ createdAt }) => <Time at={createdAt} />,
};
/** Of jobs in one state only. */
const MORE_COLUMNS: Partial<Record<Job['state'], Columns<Job>>> = {
  dead: {
    'Given up': ({ finishedAt }) => <Time at={finishedAt} />,
    'Run again': ({ id }) => (
      <ActionButton
        run={(client) => client.jobs.retry({ job: String(id) })}
        done={() => `Job ${id} is queued again.`}
        size="xs"
        aria-label={`Run job ${id} again`}
      >
        Run again
      </ActionButton>
    ),
  },
  waiting: { 'Next run': ({ nextRunAt }) => <Time at={nextRunAt} /> },
};

export default function Jobs() {
  const { fields, choice } = useFilters(['state', 'type']);
  const state = STATES.find((known) => known === fields.state) ?? 'dead';
  const type = TYPES.find((known) => known === fields.type);
  const jobs = useList('jobs.list', { state, type }, every(3_000));
  return (
    <Page title="Jobs" actions={state === 'dead' && type !== undefined && <RetryAll type={type} jobs={jobs} />}>
      <Group align="end">
        <FilterSelect label="State" names={STATES} {...choice('state')} value={state} clearable={false} />
        <FilterSelect label="Kind" names={TYPES} {...choice('type')} />
      </Group>
      <PagedRows
        list={jobs}
        columns={{ ...COLUMNS, ...MORE_COLUMNS[state] }}
        rowKey={({ id }) => id}
        empty={EMPTY[state]}
      />
    </Page>
  );
}

/** `{ attemptId: 31 }` becomes `Attempt 31`. */
function aboutOf(payload: Job['payload']): string {
  return Object.entries(payload)
    .map(([name, value]) => `${words(name.replace(/Id$/, ''))} ${String(value)}`)
    .join(', ');
}

function RetryAll({ type, jobs }: { readonly type: Job['type']; readonly jobs: RowPages<Job> }) {
  const count = useFirstPage(jobs)?.pagination.total ?? 0;
  const retry = async (client: CredenceClient) => {
    for (let sum = 0; ; ) {
      const { retried, left } = await client.jobs.retry({ job: type });
      sum += retried;
      if (left === 0 || retried === 0) return sum;
    }
  };
  if (count === 0) return null;
  return (
    <ActionButton
      run={retry}
      done={(sum) => `Queued again: ${number(sum)}.`}
      question={`Run all dead jobs of the kind “${term(type)}” again?`}
      about={`There are ${number(count)}. Find out first why they were given up, or they will be again.`}
      yes={`Run ${number(count)} again`}
    >
      Run all again
    </ActionButton>
  );
}
