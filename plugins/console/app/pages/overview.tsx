/** What runs and what fails: health of the parts, jobs, and the latest campaigns. */
import { Anchor, List, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useConnection } from '../parts/connection.tsx';
import { Facts } from '../parts/facts.tsx';
import { number, words } from '../parts/format.tsx';
import { Answered, Page, Section } from '../parts/page.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { type Sample, sumBy, useHealth, useMetrics } from '../parts/service.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { useClient } from '../session.tsx';
import { settings } from '../settings.ts';
import { FirstSteps } from './overview/first-steps.tsx';
import { useTotals } from './overview/totals.ts';

const CHECKS: Readonly<Record<string, string>> = {
  lifecycle: 'The instance',
  storage: 'The database',
  instagramSessions: 'Sessions of Instagram',
};

export default function Overview() {
  const hasEngagement = settings.services.has('engagement');
  const health = useHealth();
  const metrics = useMetrics();
  const { failures } = useConnection();
  return (
    <Page title="Overview">
      {hasEngagement && (
        <>
          <FirstSteps />
          <Counts />
        </>
      )}
      <div className="columns">
        <Section title="Health">
          <Answered query={health}>
            {({ ready, checks }) => (
              <>
                <Text>{failures > 0 ? 'Not known now.' : ready ? 'All is well.' : 'Some of it is not well.'}</Text>
                <List listStyleType="none">
                  {Object.entries(checks).map(([part, state]) => (
                    <List.Item key={part} className="break">
                      <StateBadge state={failures > 0 ? 'unknown' : state === 'ok' ? 'ok' : 'failed'} />{' '}
                      {CHECKS[part] ?? words(part)}
                      {state === 'ok' ? '' : `: ${state}`}
                    </List.Item>
                  ))}
                </List>
              </>
            )}
          </Answered>
        </Section>
        <Section title="Jobs">
          <Answered query={metrics}>
            {(samples) => (
              <Facts
                of={[...sumBy(samples, 'credence_jobs', 'state')].map(([state, count]) => [
                  JOB_STATES[state] ?? words(state),
                  number(count),
                ])}
              />
            )}
          </Answered>
        </Section>
      </div>
      {hasEngagement && <LatestCampaigns />}
      <Section title="This process since it started">
        <Answered query={metrics}>{(samples) => <Work samples={samples} />}</Answered>
      </Section>
    </Page>
  );
}

const JOB_STATES: Readonly<Record<string, string>> = { queued: 'Waiting', running: 'Running', dead: 'Given up' };

function Counts() {
  const { running, creators } = useTotals();
  const cards = [
    ['Running campaigns', running, '/campaigns?state=running'],
    ['Accounts of creators', creators, '/creators'],
  ] as const;
  return (
    <nav className="columns" aria-label="Figures">
      {cards.map(([name, value, to]) => (
        <Paper key={name} component={Link} href={to} withBorder p="md" className="card">
          <Text c="dimmed">{name}</Text>
          <Text size="xl" fw={700}>
            {number(value)}
          </Text>
        </Paper>
      ))}
    </nav>
  );
}

const KINDS = [
  ['Requests', 'credence_request_duration_seconds_count'],
  ['Jobs', 'credence_job_duration_seconds_count'],
  ['Webhook deliveries', 'credence_delivery_duration_seconds_count'],
  ['Reads of platforms', 'credence_platform_call_duration_seconds_count'],
  ['Web proofs', 'credence_proof_duration_seconds_count'],
] as const;

interface Line {
  readonly kind: string;
  readonly total: number;
  readonly failures: string;
}

const COLUMNS: readonly Column<Line>[] = [
  { header: 'What', cell: ({ kind }) => kind },
  { header: 'All', cell: ({ total }) => number(total) },
  { header: 'Failed', cell: ({ failures }) => failures },
];

function Work({ samples }: { readonly samples: readonly Sample[] }) {
  const lines = KINDS.map(([kind, metric]): Line => {
    const outcomes = [...sumBy(samples, metric, 'outcome')];
    const failed = outcomes.filter(
      ([outcome, count]) => count > 0 && !/^(ok|succeeded|later|[23](xx|\d\d))$/.test(outcome),
    );
    return {
      kind,
      total: outcomes.reduce((sum, [, count]) => sum + count, 0),
      failures: failed.length === 0 ? 'None' : failed.map(([outcome, n]) => `${number(n)} × ${outcome}`).join(', '),
    };
  });
  return (
    <Rows label="Work of this process" rows={lines} columns={COLUMNS} rowKey={({ kind }) => kind} empty="None yet." />
  );
}

function LatestCampaigns() {
  const client = useClient();
  const latest = useQuery({
    queryKey: ['campaigns', 'latest'],
    queryFn: ({ signal }) => client.campaigns.list({ limit: 5, page: 1 }, { signal }),
  });
  return (
    <Section
      title="Latest campaigns"
      actions={
        <Anchor component={Link} href="/campaigns">
          All campaigns
        </Anchor>
      }
    >
      <Answered query={latest}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">There are none yet.</Text>
          ) : (
            <List>
              {data.map(({ id, title }) => (
                <List.Item key={id}>
                  <Anchor component={Link} href={`/campaigns/${id}`}>
                    {title}
                  </Anchor>
                </List.Item>
              ))}
            </List>
          )
        }
      </Answered>
    </Section>
  );
}
