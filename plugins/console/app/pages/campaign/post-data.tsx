/** What is stored about the post, and reading it again. A reading takes minutes: the counts show how far it is. */

import type { Challenge, StoredComment } from '@credence/client';
import { Anchor, Button, Progress, Text } from '@mantine/core';
import { ActionItem, MoreMenu, useAction } from '../../parts/action.tsx';
import { every } from '../../parts/connection.tsx';
import { number, StateBadge, Time, term } from '../../parts/format.tsx';
import { Answered, Facts, Section } from '../../parts/page.tsx';
import { PostCard, usePost } from '../../parts/post-card.tsx';
import { PagedRows, useFirstPage, useList, useRead, useReadIfFound } from '../../parts/reads.tsx';
import type { Columns } from '../../parts/rows.tsx';
import { Warnings } from '../../parts/warnings.tsx';

const WHILE_READING_MS = 1_000;
/** As long as an instance may take for one reading. */
const READING_MS = 15 * 60_000;

const COLUMNS: Columns<StoredComment> = {
  Account: ({ username, authorId }) => username || authorId,
  Comment: ({ commentText, withheld }) => (
    <>
      <span className="break">{commentText}</span> {withheld && <StateBadge state={withheld} />}
    </>
  ),
  Commented: ({ commentedAt }) => <Time at={commentedAt} />,
};

export function PostData({ challenge }: { readonly challenge: Challenge }) {
  const { id: challengeId, canonicalUrl } = challenge;
  const post = usePost(canonicalUrl);
  const readComments = useAction(
    (client) => client.challenges.refreshComments({ challengeId }, { timeoutMs: READING_MS }),
    {
      done: ({ totalFetched, sweepStatus }) => `${number(totalFetched)} comments. ${term(sweepStatus)}.`,
    },
  );
  const metrics = useReadIfFound('challenges.metrics', { challengeId });
  const likers = useRead(
    'challenges.likersStatus',
    { challengeId },
    {
      refetchInterval: ({ state }) =>
        state.data?.status === 'queued' || state.data?.status === 'running' ? every(WHILE_READING_MS)() : false,
    },
  );
  const comments = useList(
    'challenges.listComments',
    { challengeId },
    readComments.isPending && every(WHILE_READING_MS),
  );
  const stored = useFirstPage(comments)?.pagination.total ?? 0;
  return (
    <Section
      title="Post"
      actions={
        <>
          <Button variant="default" loading={readComments.isPending} onClick={() => readComments.mutate()}>
            Update the comments
          </Button>
          <MoreMenu>
            <ActionItem
              run={(client) => client.challenges.refreshMetrics({ challengeId })}
              done={(answer) => ('status' in answer ? 'The numbers will be here soon.' : 'The numbers are up to date.')}
            >
              Update the numbers
            </ActionItem>
            <ActionItem
              run={(client) => client.challenges.refreshLikers({ challengeId })}
              done={({ status }) => `Likers: ${term(status)}.`}
            >
              Update the likers
            </ActionItem>
          </MoreMenu>
        </>
      }
    >
      {post.data ? (
        <PostCard details={post.data} />
      ) : (
        <Anchor href={canonicalUrl} target="_blank" rel="noreferrer" className="break">
          {canonicalUrl}
        </Anchor>
      )}
      <Answered query={metrics}>
        {(numbers) =>
          numbers === null ? null : (
            <Facts
              of={{
                Likes: number(numbers.likeCount),
                Comments: number(numbers.commentCount),
                Shares: number(numbers.shareCount),
                Views: number(numbers.viewCount),
                'As of': <Time at={numbers.fetchedAt} />,
              }}
            />
          )
        }
      </Answered>
      {readComments.isPending && <Reading stored={stored} expected={metrics.data?.commentCount ?? null} />}
      {likers.data && (
        <Text role="status">
          Likers: {term(likers.data.status)}, {number(likers.data.fetchedCount)} of {number(likers.data.totalLikes)}.{' '}
          {likers.data.errorMessage}
        </Text>
      )}
      <Warnings of={[likers.data?.warning]} />
      <PagedRows
        label="Comments"
        list={comments}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty="No comments are here yet. Update them from the platform."
      />
    </Section>
  );
}

function Reading({ stored, expected }: { readonly stored: number; readonly expected: number | null }) {
  const share = expected === null || expected === 0 ? 100 : Math.min(100, (100 * stored) / expected);
  return (
    <div role="status">
      <Text size="sm">
        Reading the comments: {number(stored)} stored{expected === null ? '' : ` of about ${number(expected)}`}
      </Text>
      <Progress value={share} animated aria-label="Comments read" />
    </div>
  );
}
