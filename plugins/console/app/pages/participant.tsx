/** One attempt: its history, the comment that was found, and what an operator may do. */

import type { AttemptDetail } from '@credence/client';
import { Text } from '@mantine/core';
import type { PathParameters } from '../pages.tsx';
import { ActionButton } from '../parts/action.tsx';
import { every } from '../parts/connection.tsx';
import { number, reasonText, StateBadge, Time, term } from '../parts/format.tsx';
import { Answered, Facts, Page, PageLink, Section } from '../parts/page.tsx';
import { useRead } from '../parts/reads.tsx';
import { ReviewButton } from '../parts/review-dialog.tsx';
import { type Columns, Rows } from '../parts/rows.tsx';
import { SignalFacts } from '../parts/signals.tsx';
import { HeldText, WaitingText } from '../parts/waiting.tsx';
import { useSession } from '../session.tsx';

type Step = AttemptDetail['stateHistory'][number];

/** States in which a creator may claim, and states that webhooks were sent about. */
const CLAIMABLE: ReadonlySet<string> = new Set(['created', 'target_opened', 'awaiting_claim', 'failed_retryable']);
const TOLD: ReadonlySet<string> = new Set(['verified', 'rewarded', 'failed_terminal']);

const isOpen = ({ state }: AttemptDetail) => CLAIMABLE.has(state) || state === 'verification_pending';

const HISTORY: Columns<Step> = {
  State: ({ state }) => <StateBadge state={state} />,
  Since: ({ at }) => <Time at={at} />,
  Reason: ({ reason }) => reasonText(reason),
};

export default function ParticipantPage({ id = '', attemptId = '' }: PathParameters) {
  const campaign = useRead('campaigns.get', { id: Number(id) });
  const challenge = campaign.data?.challenge;
  const attempt = useRead(
    'attempts.get',
    { challengeId: challenge?.id ?? 0, attemptId: Number(attemptId) },
    { enabled: challenge !== undefined, refetchInterval: every(3_000) },
  );
  return (
    <Page
      title={`Attempt ${attemptId}`}
      above={{ to: `/campaigns/${id}/participants`, label: 'Participants' }}
      id={attemptId}
      actions={attempt.data && <Actions attempt={attempt.data} />}
    >
      <Answered query={campaign}>
        {({ challenge: { platform } }) => (
          <Answered query={attempt}>{(data) => <Content attempt={data} platform={platform} />}</Answered>
        )}
      </Answered>
    </Page>
  );
}

function Content({ attempt, platform }: { readonly attempt: AttemptDetail; readonly platform: string }) {
  const { caller } = useSession();
  const { platformUsername } = attempt.metadata;
  const comment = attempt.matchedComment;
  const removed = comment?.removed;
  const creator = <PageLink to={`/creators/${attempt.userId}`}>Creator {attempt.userId}</PageLink>;
  return (
    <>
      <Section title="How it stands">
        <WaitingText waiting={attempt.waiting} platform={platform} />
        <HeldText held={attempt.held} />
        <Facts
          of={{
            State: <StateBadge state={attempt.state} />,
            ...(caller.role === 'admin' && { Creator: creator }),
            Account: typeof platformUsername === 'string' ? platformUsername : '–',
            Points: number(attempt.pointsAwarded),
            Retries: `${attempt.retryCount} of ${attempt.maxRetries}`,
            'Last checked': <Time at={attempt.lastVerificationAt} />,
            ...(attempt.checkAt && { 'Looked for again': <Time at={attempt.checkAt} /> }),
            Deadline: <Time at={isOpen(attempt) ? attempt.verificationDeadline : null} />,
          }}
        />
      </Section>
      <Section title="Comment that was found">
        {comment === null ? (
          <Text c="dimmed">None is stored.</Text>
        ) : (
          <Facts
            of={{
              Comment: comment.commentText,
              Commented: <Time at={comment.commentedAt} />,
              ...(removed && {
                [`${term(removed.how)} since`]: <Removed at={removed.at} attempt={attempt} />,
              }),
            }}
          />
        )}
      </Section>
      {attempt.signals && (
        <Section title="To look at">
          <Text c="dimmed">Signs, no verdicts: honest people can have them too.</Text>
          <SignalFacts of={attempt.signals} />
        </Section>
      )}
      <Section title="History">
        <Rows
          rows={attempt.stateHistory}
          columns={HISTORY}
          rowKey={({ at, state }) => `${at} ${state}`}
          empty="Nothing yet."
        />
      </Section>
    </>
  );
}

function Removed({ at, attempt }: { readonly at: string; readonly attempt: AttemptDetail }) {
  const isReversed = attempt.removedAt !== undefined && attempt.pointsAwarded === 0;
  const reward = isReversed ? 'The points were taken back.' : 'The reward stays.';
  return (
    <>
      <Time at={at} />. {attempt.state === 'rewarded' && reward}
    </>
  );
}

function Actions({ attempt }: { readonly attempt: AttemptDetail }) {
  const { id, challengeId, state } = attempt;
  const input = { challengeId, attemptId: id };
  return (
    <>
      {CLAIMABLE.has(state) && (
        <ActionButton
          run={(client) => client.attempts.progress({ ...input, action: 'claim_completion' })}
          done={() => 'The attempt is being checked.'}
          variant="filled"
        >
          Check now
        </ActionButton>
      )}
      {isOpen(attempt) && (
        <ActionButton
          run={(client) => client.attempts.forceVerify(input)}
          done={() => 'The attempt is verified. The reward follows.'}
          question={`Verify attempt ${id} by hand?`}
          about="It is verified without a comment that was found, and the creator gets the points. This cannot be undone."
          yes="Verify and pay"
        >
          Verify by hand
        </ActionButton>
      )}
      <ReviewButton challengeId={challengeId} attemptId={id} state={state} held={attempt.held} />
      {TOLD.has(state) && (
        <ActionButton
          run={(client) => client.attempts.redeliver(input)}
          done={({ data }) => `Sent again: ${data.redelivered.join(', ')}.`}
        >
          Send the webhooks again
        </ActionButton>
      )}
    </>
  );
}
