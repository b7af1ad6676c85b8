/** Verifies and rewards, after a question that names who would be paid. */

import type { CampaignDetail, CredenceClient } from '@credence/client';
import { Modal, Stack, Text } from '@mantine/core';
import { Answers, useAction } from '../../parts/action.tsx';
import { counted } from '../../parts/campaign-words.ts';
import { DialogButton } from '../../parts/form.tsx';
import { number, StateBadge, Time } from '../../parts/format.tsx';
import { Answered } from '../../parts/page.tsx';
import { useRead } from '../../parts/reads.tsx';
import { type Columns, Rows } from '../../parts/rows.tsx';
import { Warnings } from '../../parts/warnings.tsx';

type Preview = Awaited<ReturnType<CredenceClient['campaigns']['previewRewards']>>;
type ExpectedReward = Preview['creators'][number];

const COLUMNS: Columns<ExpectedReward> = {
  Creator: ({ displayName, externalId }) => <span className="break">{displayName ?? externalId}</span>,
  Handle: ({ platformUsername }) => <span className="break">@{platformUsername}</span>,
  Comment: ({ matchedComment }) =>
    matchedComment === null ? (
      'Liked the post'
    ) : (
      <span className="break">
        {matchedComment.commentText} <Time at={matchedComment.commentedAt} />
      </span>
    ),
  Points: ({ points }) => number(points),
  'To look at': ({ isAfterEnd, isShared }) => (
    <>
      {isAfterEnd && <StateBadge state="after_end" />}
      {isShared && <StateBadge state="shared_handle" />}
      {!isAfterEnd && !isShared && '–'}
    </>
  ),
};

export function VerifyAndReward({ campaign }: { readonly campaign: CampaignDetail }) {
  const { id, title } = campaign;
  const verify = useAction((client) => client.campaigns.verifyAndReward({ id }), {
    done: ({ matched, verified, rewarded }) => `${matched} matched, ${verified} verified, ${rewarded} rewarded.`,
  });
  return (
    <DialogButton
      variant="filled"
      loading={verify.isPending}
      dialog={(close) => (
        <Modal opened onClose={close} title={`Verify and reward “${title}”?`} size="xl">
          <Question
            campaign={campaign}
            onNo={close}
            onYes={() => {
              close();
              verify.mutate();
            }}
          />
        </Modal>
      )}
    >
      Verify and reward
    </DialogButton>
  );
}

interface QuestionProps {
  readonly campaign: CampaignDetail;
  readonly onNo: () => void;
  readonly onYes: () => void;
}

function Question({ campaign, onNo, onYes }: QuestionProps) {
  // Never an old answer: somebody pays by it.
  const preview = useRead('campaigns.previewRewards', { id: campaign.id }, { gcTime: 0, staleTime: 0 });
  const pays = preview.data !== undefined && preview.data.matched > 0;
  return (
    <Stack>
      <Answered query={preview}>
        {(data) =>
          data.matched === 0 ? (
            <Nobody ineligible={data.ineligible ?? 0} />
          ) : (
            <Expected preview={data} campaign={campaign} />
          )
        }
      </Answered>
      <Answers yes={pays ? 'Verify and reward' : undefined} onYes={onYes} onNo={onNo} />
    </Stack>
  );
}

function Nobody({ ineligible }: { readonly ineligible: number }) {
  return (
    <>
      <Text>
        Nobody would be paid now. Update the comments or the likers first. Creators who take part already are checked
        when they claim.
      </Text>
      <Warnings of={[ineligible > 0 && outOf(ineligible)]} />
    </>
  );
}

const outOf = (ineligible: number) =>
  `Left out, as their stored profile is not what the campaign asks for: ${counted(ineligible, 'creator')}.`;

function Expected({
  preview,
  campaign: { terms, limits },
}: { readonly preview: Preview } & Pick<QuestionProps, 'campaign'>) {
  // Nobody is paid before the draw. Limits, or a time or a review to wait for, may hold rewards.
  const isDrawn = terms?.draw !== undefined;
  const { matched, totalPoints, pointsReward, afterEnd, shared, creators, ineligible = 0 } = preview;
  const mayWait = terms != null || limits != null || totalPoints < matched * pointsReward;
  return (
    <>
      <Text>
        <strong>
          {isDrawn
            ? `${counted(matched, 'creator takes', 'creators take')} part in the draw.`
            : `${counted(matched, 'creator gets', 'creators get')} ${mayWait ? 'up to ' : ''}${number(totalPoints)} points.`}
        </strong>{' '}
        {mayWait && !isDrawn && 'Some may have to wait, as the campaign says. '}
        They did what the campaign asks, as far as their comments and likes were read. This cannot be undone.
      </Text>
      <Warnings
        of={[
          afterEnd > 0 && `Written after the end of the campaign: ${counted(afterEnd, 'comment')}.`,
          ineligible > 0 && outOf(ineligible),
          shared > 0 &&
            `Linked to more than one creator: the ${shared === 1 ? 'handle' : 'handles'} of ${counted(shared, 'creator')}.${mayWait ? '' : ' Each of these creators is paid.'}`,
        ]}
      />
      <Rows
        label="Who is paid"
        rows={creators}
        columns={COLUMNS}
        rowKey={({ userId }) => userId}
        empty="Nobody would be paid now."
      />
      {creators.length < matched && (
        <Text size="sm" c="dimmed">
          The first {number(creators.length)} of {number(matched)} are shown.
        </Text>
      )}
    </>
  );
}
