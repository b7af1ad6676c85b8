// biome-ignore-all lint/correctness/noComponentHookFactories: cells of a table are no components.
/** Those who take part in a campaign, and how they stand. */

import type { Participant } from '@credence/client';
import { Group, TextInput } from '@mantine/core';
import { ActionButton } from '../parts/action.tsx';
import { every } from '../parts/connection.tsx';
import { FilterSelect, useFilters } from '../parts/filters.tsx';
import { number, StateBadge, Time } from '../parts/format.tsx';
import { Page, PageLink } from '../parts/page.tsx';
import { PagedRows, useList, useRead } from '../parts/reads.tsx';
import { ReviewButton } from '../parts/review-dialog.tsx';
import type { Columns } from '../parts/rows.tsx';
import { SIGNALS, SignalBadges } from '../parts/signals.tsx';
import { HeldText, WaitingText } from '../parts/waiting.tsx';
import { AddParticipant } from './campaign/add-participant.tsx';
import { savingResults } from './campaign/results.ts';

type State = Participant['state'];

const STATES: readonly State[] = [
  'created',
  'target_opened',
  'awaiting_claim',
  'verification_pending',
  'verified',
  'rewarded',
  'failed_retryable',
  'failed_terminal',
];
const HELD: readonly NonNullable<Participant['held']>['why'][] = [
  'review',
  'refused',
  'limit',
  'holding',
  'taken',
  'draw',
  'not-drawn',
  'gone',
];
const SORTS = ['id', '-id', 'updatedAt', '-updatedAt'] as const;

export default function Participants({ id = '' }: { readonly id?: string }) {
  const campaignId = Number(id);
  const { fields, choice, set, text } = useFilters(['q', 'state', 'held', 'signal', 'sort']);
  const state = STATES.find((known) => known === fields.state);
  const held = HELD.find((known) => known === fields.held);
  const signal = SIGNALS.find((known) => known === fields.signal);
  const q = fields.q.trim() || undefined;
  const sort = SORTS.find((known) => known === fields.sort) ?? 'id';
  const campaign = useRead('campaigns.get', { id: campaignId });
  const filter = { state, held, signal, q, sort };
  const participants = useList('campaigns.listResults', { id: campaignId, ...filter }, every(10_000));
  const columns: Columns<Participant> = {
    Creator: ({ attemptId, displayName, externalId }) => (
      <PageLink to={`/campaigns/${id}/participants/${attemptId}`}>{displayName ?? externalId}</PageLink>
    ),
    Account: ({ platform, platformUsername }) => `${platformUsername ?? '–'} (${platform})`,
    State: (row) => (
      <>
        <StateBadge state={row.state} /> <WaitingText waiting={row.waiting} platform={row.platform} />
        <HeldText held={row.held} />
        {campaign.data && (
          <div>
            <ReviewButton {...row} challengeId={campaign.data.challenge.id} size="xs" />
          </div>
        )}
      </>
    ),
    'To look at': ({ signals }) => <SignalBadges of={signals} />,
    Points: ({ pointsAwarded }) => number(pointsAwarded),
    Comment: ({ matchedComment }) => (
      <>
        {matchedComment?.commentText ?? '–'}{' '}
        {matchedComment?.removed && <StateBadge state={matchedComment.removed.how} />}
      </>
    ),
    Added: ({ createdAt }) => <Time at={createdAt} />,
    Changed: ({ updatedAt }) => <Time at={updatedAt} />,
  };
  return (
    <Page
      title="Participants"
      above={{ to: `/campaigns/${id}`, label: campaign.data?.title ?? 'Campaign' }}
      actions={
        <>
          <ActionButton {...savingResults({ campaignId, filter })}>Save as CSV</ActionButton>
          {campaign.data && <AddParticipant campaign={campaign.data} />}
        </>
      }
    >
      <Group align="end">
        <TextInput
          label="Search"
          placeholder="External id, name or handle"
          type="search"
          maxLength={200}
          {...text('q')}
        />
        <FilterSelect label="State" names={STATES} {...choice('state')} />
        <FilterSelect label="Reward held" names={HELD} {...choice('held')} />
        <FilterSelect label="To look at" names={SIGNALS} {...choice('signal')} />
      </Group>
      <PagedRows
        list={participants}
        columns={columns}
        rowKey={({ attemptId }) => attemptId}
        sorting={{ headers: { Added: '-id', Changed: '-updatedAt' }, by: sort, set: (by) => set('sort', by) }}
        empty="There are no such participants yet."
      />
    </Page>
  );
}
