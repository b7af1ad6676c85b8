/** What runs and what fails: health of the parts, jobs, and the latest campaigns. */
import { List, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useConnection } from '../parts/connection.tsx';
import { Facts } from '../parts/facts.tsx';
import { number, words } from '../parts/format.tsx';
import { Answered, Page, PageLink, Section } from '../parts/page.tsx';
import { AttemptCharts, ReadCharts, useRange } from '../parts/series.tsx';
import { sumBy, useHealth, useMetrics } from '../parts/service.ts';
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
        <Section title="Jobs" actions={hasEngagement && <PageLink to="/jobs">All jobs</PageLink>}>
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
      {hasEngagement && (
        <>
          <OverTime />
          <LatestCampaigns />
        </>
      )}
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

function OverTime() {
  const { chosen, choice } = useRange();
  return (
    <>
      <Section title="Over time" actions={choice}>
        <AttemptCharts range={chosen} of={{}} />
      </Section>
      <Section title="Reads of platforms">
        <ReadCharts range={chosen} />
      </Section>
    </>
  );
}

function LatestCampaigns() {
  const client = useClient();
  const latest = useQuery({
    queryKey: ['campaigns', 'latest'],
    queryFn: ({ signal }) => client.campaigns.list({ limit: 5, page: 1 }, { signal }),
  });
  return (
    <Section title="Latest campaigns" actions={<PageLink to="/campaigns">All campaigns</PageLink>}>
      <Answered query={latest}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">There are none yet.</Text>
          ) : (
            <List>
              {data.map(({ id, title }) => (
                <List.Item key={id}>
                  <PageLink to={`/campaigns/${id}`}>{title}</PageLink>
                </List.Item>
              ))}
            </List>
          )
        }
      </Answered>
    </Section>
  );
}
