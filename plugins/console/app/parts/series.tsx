/** Figures by time: the range that is chosen, and what the API counted in it. */
import type { CredenceClient, SeriesCount } from '@credence/client';
import { Button, Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useClient } from '../session.tsx';
import { Chart } from './chart.tsx';
import { every } from './connection.tsx';
import { useFilters } from './filters.tsx';
import { term } from './format.tsx';
import { Answered, Section } from './page.tsx';
import { platformLabel } from './waiting.tsx';

const HOUR_MS = 3_600_000;

/** `tickHours`: from one time below the chart to the next. */
const RANGES = {
  '24h': { label: '24 h', by: 'hour', hours: 24, tickHours: 6 },
  '7d': { label: '7 days', by: 'hour', hours: 7 * 24, tickHours: 24 },
  '30d': { label: '30 days', by: 'day', hours: 30 * 24, tickHours: 6 * 24 },
  '90d': { label: '90 days', by: 'day', hours: 90 * 24, tickHours: 18 * 24 },
} as const;

type RangeName = keyof typeof RANGES;
const NAMES = Object.keys(RANGES) as RangeName[];

/** What the API counted, from when to when, in whole buckets. */
export interface Counted {
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
  readonly tickHours: number;
  readonly rows: readonly SeriesCount[];
}

type Input = Parameters<CredenceClient['series']['read']>[0];

interface OverTimeProps {
  readonly children: (range: RangeName) => ReactNode;
  /** More sections of the same range. */
  readonly more?: (range: RangeName) => ReactNode;
}

/** Charts of a range that can be chosen. It is in the address. */
export function OverTime({ children, more }: OverTimeProps) {
  const { fields, set } = useFilters(['range']);
  const chosen = NAMES.find((name) => name === fields.range) ?? '7d';
  const choice = (
    <Group gap={4} role="group" aria-label="Range">
      {NAMES.map((name) => (
        <Button
          key={name}
          size="xs"
          variant={name === chosen ? 'filled' : 'default'}
          aria-pressed={name === chosen}
          onClick={() => set('range', name)}
        >
          {RANGES[name].label}
        </Button>
      ))}
    </Group>
  );
  return (
    <>
      <Section title="Over time" actions={choice}>
        {children(chosen)}
      </Section>
      {more?.(chosen)}
    </>
  );
}

function useSeries(range: RangeName, input: Omit<Input, 'by' | 'from' | 'to'>) {
  const client = useClient();
  return useQuery({
    queryKey: ['series', range, input],
    queryFn: async ({ signal }): Promise<Counted> => {
      const { by, hours, tickHours } = RANGES[range];
      const bucketMs = by === 'hour' ? HOUR_MS : 24 * HOUR_MS;
      // The bucket that has begun is shown whole.
      const to = Math.ceil(Date.now() / bucketMs) * bucketMs;
      const from = to - hours * HOUR_MS;
      const [fromText, toText] = [from, to].map((at) => new Date(at).toISOString());
      const rows = await client.series.read({ ...input, by, from: fromText, to: toText }, { signal });
      return { from, to, bucketMs, tickHours, rows };
    },
    refetchInterval: every(60_000),
    placeholderData: keepPreviousData,
  });
}

interface ChartsProps {
  readonly range: RangeName;
  readonly of: Omit<Input, 'by' | 'from' | 'to' | 'what'>;
}

/** What creators did: a chart each of those who began, those verified, rewards and points. */
export function AttemptCharts({ range, of }: ChartsProps) {
  return (
    <Answered query={useSeries(range, { ...of, what: 'attempts' })}>
      {(counted) => (
        <div className="columns">
          {['attempts', 'verifications', 'rewards', 'points'].map((name) => (
            <Chart key={name} title={term(name)} counted={counted} names={[name]} />
          ))}
        </div>
      )}
    </Answered>
  );
}

const STATUSES = ['succeeded', 'pending', 'failed', 'cancelled'];

/** What was sent to a webhook, by how it stands now. */
export function DeliveryChart({ range, of }: ChartsProps) {
  return (
    <Answered query={useSeries(range, { ...of, what: 'deliveries' })}>
      {(counted) => <Chart title="Deliveries" counted={counted} names={STATUSES} />}
    </Answered>
  );
}

/** How platforms were read by all processes, and what of it failed. */
export function ReadCharts({ range }: Pick<ChartsProps, 'range'>) {
  const reads = useSeries(range, { what: 'reads' });
  const failures = useSeries(range, { what: 'failures' });
  const chart = (title: string) => (counted: Counted) => (
    <Chart title={title} counted={counted} names={platformsIn(counted)} label={platformLabel} />
  );
  return (
    <Section title="Reads of platforms">
      <div className="columns">
        <Answered query={reads}>{chart('Reads')}</Answered>
        <Answered query={failures}>{chart('Failed')}</Answered>
      </div>
    </Section>
  );
}

const platformsIn = ({ rows }: Counted) => [...new Set(rows.map(({ name }) => name))].sort();
