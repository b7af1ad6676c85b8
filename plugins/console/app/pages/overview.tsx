/** What runs and what fails: health of the parts, jobs, and the latest campaigns. */
import { Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Figures } from '../parts/facts.tsx';
import { number, words } from '../parts/format.tsx';
import { Answered, Page, Section } from '../parts/page.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { type Sample, sumBy, useHealth, useMetrics } from '../parts/service.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { useClient } from '../session.tsx';
import { settings } from '../settings.ts';

export default function Overview() {
  const health = useHealth();
  const metrics = useMetrics();
  return (
    <Page title="Overview">
      <Section title="Health">
        <Answered query={health}>
          {({ ready, checks }) => (
            <>
              {!health.isError && (
                <Text>
                  {ready ? 'The instance serves requests.' : 'The instance is not ready. The parts below say why.'}
                </Text>
              )}
              <List listStyleType="none">
                {Object.entries(checks).map(([part, state]) => (
                  <List.Item key={part} className="break">
                    <StateBadge state={state === 'ok' ? 'ok' : 'failed'} /> {words(part)}
                    {state === 'ok' ? '' : `: ${state}`}
                  </List.Item>
                ))}
              </List>
            </>
          )}
        </Answered>
      </Section>
      <Section title="Jobs of all processes">
        <Answered query={metrics}>
          {(samples) => (
            <Figures
              of={[...sumBy(samples, 'credence_jobs', 'state')].map(([state, count]) => [words(state), number(count)])}
            />
          )}
        </Answered>
      </Section>
      <Section title="Work of this process since its start">
        <Answered query={metrics}>{(samples) => <Work samples={samples} />}</Answered>
      </Section>
      {settings.services.has('engagement') && <LatestCampaigns />}
    </Page>
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
  { header: 'Kind', cell: ({ kind }) => kind },
  { header: 'All', cell: ({ total }) => number(total) },
  { header: 'Not succeeded', cell: ({ failures }) => failures },
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
