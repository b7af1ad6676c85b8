/** What runs and what fails: health of the parts, jobs, and the latest campaigns. */
import { Anchor, List, Paper, Text, ThemeIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useBrands } from '../parts/brands.tsx';
import { ask, every, useConnection } from '../parts/connection.tsx';
import { number, StateBadge, term, words } from '../parts/format.tsx';
import { Icon } from '../parts/icon.tsx';
import { Answered, Facts, Page, PageLink, Section } from '../parts/page.tsx';
import { useRead, useTotal } from '../parts/reads.tsx';
import { AttemptCharts, OverTime, ReadCharts } from '../parts/series.tsx';
import { useSession } from '../session.tsx';
import { settings } from '../settings.ts';

export default function Overview() {
  const hasEngagement = settings.services.has('engagement');
  const health = useHealth();
  const jobs = useJobCounts();
  const isDown = useConnection().downSince !== null;
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
                <Text>{isDown ? 'Not known now.' : ready ? 'All is well.' : 'Some of it is not well.'}</Text>
                <List listStyleType="none">
                  {Object.entries(checks).map(([part, state]) => (
                    <List.Item key={part} className="break">
                      <StateBadge state={isDown ? 'unknown' : state === 'ok' ? 'ok' : 'failed'} /> {term(part)}
                      {state === 'ok' ? '' : `: ${state}`}
                    </List.Item>
                  ))}
                </List>
              </>
            )}
          </Answered>
        </Section>
        <Section title="Jobs" actions={hasEngagement && <PageLink to="/jobs">All jobs</PageLink>}>
          <Answered query={jobs}>
            {(counts) => (
              <Facts
                of={Object.fromEntries(
                  counts.map(({ state, count }) => [JOB_STATES[state] ?? words(state), number(count)]),
                )}
              />
            )}
          </Answered>
        </Section>
      </div>
      {hasEngagement && (
        <>
          <OverTime more={(range) => <ReadCharts range={range} />}>
            {(range) => <AttemptCharts range={range} of={{}} />}
          </OverTime>
          <LatestCampaigns />
        </>
      )}
    </Page>
  );
}

const JOB_STATES: Readonly<Record<string, string>> = { queued: 'Waiting', running: 'Running', dead: 'Given up' };

function Counts() {
  const cards = [
    ['Running campaigns', useTotal('campaigns.list', { state: 'running' }).data, '/campaigns?state=running'],
    ['Accounts of creators', useTotal('creators.list', {}).data, '/creators'],
  ] as const;
  return (
    <nav className="columns" aria-label="Figures">
      {cards.map(([name, value, to]) => (
        <Paper key={name} component={Link} href={to} withBorder p="md" c="inherit" td="none" className="card">
          <Text c="dimmed">{name}</Text>
          <Text size="xl" fw={700}>
            {number(value)}
          </Text>
        </Paper>
      ))}
    </nav>
  );
}

function LatestCampaigns() {
  const latest = useRead('campaigns.list', { limit: 5, page: 1 });
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

/** What a new instance needs, in order. Gone when all of it is there. */
function FirstSteps() {
  const brands = useBrands();
  const first = brands.data?.[0]?.id;
  const webhooks = useRead('webhooks.list', { brandId: first ?? 0 }, { enabled: first !== undefined });
  const campaigns = useTotal('campaigns.list', {}).data;
  const creators = useTotal('creators.list', {}).data;
  if (brands.data === undefined || campaigns === undefined || creators === undefined) return null;
  const steps = [
    { done: first !== undefined, to: '/brands', text: 'Create a brand', why: 'Campaigns and webhooks belong to it.' },
    {
      done: (webhooks.data?.length ?? 0) > 0,
      to: '/webhooks',
      text: 'Create a webhook',
      why: 'Your server hears of verified creators and rewards.',
    },
    { done: campaigns > 0, to: '/campaigns/new', text: 'Create a campaign', why: 'Paste the address of a post.' },
    {
      done: creators > 0,
      to: '/creators',
      text: 'Register creators',
      why: 'One by one, from a CSV file, or by your app.',
    },
  ];
  // The webhook may not be known yet: a list that comes and goes at once helps nobody.
  if (steps.every(({ done }) => done) || (first !== undefined && webhooks.data === undefined)) return null;
  const next = steps.find(({ done }) => !done);
  return (
    <Section title="First steps">
      <ol className="first-steps">
        {steps.map((step) => (
          <li key={step.to} aria-current={step === next ? 'step' : undefined}>
            <ThemeIcon variant={step.done ? 'filled' : 'default'} radius="xl" size="sm" aria-hidden>
              {step.done && <Icon name="done" size={14} />}
            </ThemeIcon>
            <div>
              {step.done ? (
                `${step.text}: done`
              ) : (
                <Anchor component={Link} href={step.to} fw={600}>
                  {step.text}
                </Anchor>
              )}
              <Text c="dimmed">{step.why}</Text>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}

interface Health {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

/** What `/readyz` says, whether it is ready or not. */
function useHealth() {
  return useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }): Promise<Health> => {
      const response = await ask('readyz', { signal });
      const health: Partial<Health> | null = await response.json().catch(() => null);
      // A proxy may answer in place of the instance.
      if (typeof health?.checks !== 'object') throw new Error(`/readyz answered with status ${response.status} only.`);
      return health as Health;
    },
    refetchInterval: every(5_000),
  });
}

const JOBS = /^credence_jobs\{state="(\w+)"\} (\d+)$/gm;

/** How many jobs there are, by state: with every queue, `/metrics` tells it. */
function useJobCounts() {
  const { headers } = useSession();
  return useQuery({
    queryKey: ['metrics'],
    queryFn: async ({ signal }) => {
      const response = await ask('metrics', { signal, headers });
      if (!response.ok) throw new Error(`/metrics answered with status ${response.status}.`);
      const found = (await response.text()).matchAll(JOBS);
      return Array.from(found, ([, state = '', count]) => ({ state, count: Number(count) }));
    },
    refetchInterval: every(5_000),
  });
}
