/** The funnel of states, and the points over time. */

import type { Participant } from '@credence/client';
import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import type { ChartProps } from '../../parts/charts.tsx';
import { every } from '../../parts/connection.tsx';
import { Facts, Figures } from '../../parts/facts.tsx';
import { number, words } from '../../parts/format.tsx';
import { OnDemand } from '../../parts/on-demand.tsx';
import { Answered, Section } from '../../parts/page.tsx';
import { useClient } from '../../session.tsx';

const loadChart = () => import('../../parts/charts.tsx');

const EVERY_MS = 5_000;
/** Of the participants whose rewards are drawn, the newest ones. */
const MOST_DRAWN = 1_000;
const PAGE_SIZE = 100;

export function CampaignProgress({ campaignId }: { readonly campaignId: number }) {
  const client = useClient();
  const summary = useQuery({
    queryKey: ['campaign', campaignId, 'summary'],
    queryFn: ({ signal }) => client.campaigns.summarise({ id: campaignId }, { signal }),
    refetchInterval: every(EVERY_MS),
  });
  return (
    <>
      <Section title="Participants">
        <Answered query={summary}>
          {({ totalAttempts, totalVerified, totalRewarded, totalPointsIssued, byState }) => (
            <>
              <Figures
                of={[
                  ['Attempts', number(totalAttempts)],
                  ['Verified', number(totalVerified)],
                  ['Rewarded', number(totalRewarded)],
                  ['Points issued', number(totalPointsIssued)],
                ]}
              />
              <SimpleChart
                type="bar"
                label="Attempts by state"
                points={Object.entries(byState).map(([state, count]) => [words(state), count])}
              />
              <Facts of={Object.entries(byState).map(([state, count]) => [words(state), number(count)])} />
            </>
          )}
        </Answered>
      </Section>
      {(summary.data?.totalRewarded ?? 0) > 0 && (
        <Points campaignId={campaignId} rewarded={summary.data?.totalRewarded ?? 0} />
      )}
    </>
  );
}

function Points({ campaignId, rewarded }: { readonly campaignId: number; readonly rewarded: number }) {
  const client = useClient();
  const points = useQuery({
    queryKey: ['campaign', campaignId, 'points', rewarded],
    queryFn: async ({ signal }) => {
      const rows: Participant[] = [];
      const list = client.campaigns.listResults({ id: campaignId, state: 'rewarded', limit: PAGE_SIZE }, { signal });
      for await (const row of list) {
        if (rows.push(row) >= MOST_DRAWN) break;
      }
      return cumulated(rows);
    },
  });
  return (
    <Section title={rewarded > MOST_DRAWN ? `Points of the last ${number(MOST_DRAWN)} rewards` : 'Points over time'}>
      <Answered query={points}>
        {(steps) => <SimpleChart type="line" label="Points issued over time" points={steps} />}
      </Answered>
    </Section>
  );
}

/** While it loads it is as high as later: buttons below would move away from the pointer when it comes. */
function SimpleChart(properties: ChartProps) {
  const comes = (
    <div className="chart">
      <Loader role="status" aria-label="Loading" />
    </div>
  );
  return (
    <Suspense fallback={comes}>
      <OnDemand name="charts" load={loadChart} properties={properties} />
    </Suspense>
  );
}

const MINUTE = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' });

/** Sums of points by minute. */
export function cumulated(rows: readonly Pick<Participant, 'rewardedAt' | 'pointsAwarded'>[]): [string, number][] {
  const rewarded = rows.flatMap(({ rewardedAt, pointsAwarded }) =>
    rewardedAt === null ? [] : [{ at: Date.parse(rewardedAt), pointsAwarded }],
  );
  const steps = new Map<string, number>();
  let sum = 0;
  for (const { at, pointsAwarded } of rewarded.sort((a, b) => a.at - b.at)) {
    sum += pointsAwarded;
    steps.set(MINUTE.format(at), sum);
  }
  return [...steps];
}
