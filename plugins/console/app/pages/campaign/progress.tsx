/** How far those who take part are: each step with its share of those who began. */

import type { CampaignDetail, CredenceClient } from '@credence/client';
import { Progress, Text } from '@mantine/core';
import { every } from '../../parts/connection.tsx';
import { number, PERCENT, term } from '../../parts/format.tsx';
import { Answered, PageLink, Section } from '../../parts/page.tsx';
import { useRead } from '../../parts/reads.tsx';
import { AddParticipant } from './add-participant.tsx';

export type Summary = Awaited<ReturnType<CredenceClient['campaigns']['summarise']>>;

export function useSummary(campaignId: number) {
  return useRead('campaigns.summarise', { id: campaignId }, { refetchInterval: every(5_000) });
}

export function CampaignProgress({ campaign }: { readonly campaign: CampaignDetail }) {
  const campaignId = campaign.id;
  const summary = useSummary(campaignId);
  return (
    <Section
      title="Participants"
      actions={
        <>
          <PageLink to={`/campaigns/${campaignId}/participants`}>All participants</PageLink>
          <AddParticipant campaign={campaign} size="xs" variant="default" />
        </>
      }
    >
      <Answered query={summary}>
        {(numbers) =>
          numbers.totalAttempts === 0 ? (
            <Text c="dimmed">
              Nobody takes part yet. Creators begin in your app; “Verify and reward” finds registered creators who did
              it already.
            </Text>
          ) : (
            <>
              <Steps summary={numbers} />
              <Open campaignId={campaignId} summary={numbers} />
              <Text>{number(numbers.totalPointsIssued)} points issued.</Text>
            </>
          )
        }
      </Answered>
    </Section>
  );
}

function Steps({ summary: { totalAttempts, totalVerified, totalRewarded, byState } }: { readonly summary: Summary }) {
  const opened = byState.created + byState.target_opened;
  const steps = [
    ['Took part', totalAttempts],
    ['Claimed', totalAttempts - opened],
    ['Verified', totalVerified],
    ['Rewarded', totalRewarded],
  ] as const;
  return (
    <ol className="steps" aria-label="Steps">
      {steps.map(([name, count]) => (
        <li key={name}>
          <span>{name}</span>
          <Progress value={(100 * count) / totalAttempts} size="lg" aria-label={name} />
          <strong>{number(count)}</strong>
          <Text span size="sm" c="dimmed">
            {PERCENT.format(count / totalAttempts)}
          </Text>
        </li>
      ))}
    </ol>
  );
}

const OPEN = ['awaiting_claim', 'verification_pending', 'failed_retryable', 'failed_terminal'] as const;

/** Those who may need a look, each a link to its participants. */
function Open({ campaignId, summary: { byState } }: { readonly campaignId: number; readonly summary: Summary }) {
  const found = OPEN.filter((state) => byState[state] > 0);
  if (found.length === 0) return null;
  return (
    <ul className="open" aria-label="To look at">
      {found.map((state) => (
        <li key={state}>
          <PageLink to={`/campaigns/${campaignId}/participants?state=${state}`}>
            {number(byState[state])} {term(state)}
          </PageLink>
        </li>
      ))}
    </ul>
  );
}
