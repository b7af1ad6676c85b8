/** What is stored about the post, and reading it again. A reading takes minutes: the counts show how far it is. */

import type { StoredComment } from '@credence/client';
import { CredenceApiError } from '@credence/client';
import { Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ActionButton, useAction } from '../../parts/action.tsx';
import { every } from '../../parts/connection.tsx';
import { Facts } from '../../parts/facts.tsx';
import { number, Time, words } from '../../parts/format.tsx';
import { Answered, Section } from '../../parts/page.tsx';
import { type Column, firstPage, PagedRows, type RowPages } from '../../parts/rows.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { useClient } from '../../session.tsx';

const WHILE_READING_MS = 1_000;
/** As long as an instance may take for one reading. */
const READING_MS = 15 * 60_000;

const COLUMNS: readonly Column<StoredComment>[] = [
  { header: 'Account', cell: ({ username, authorId }) => username || authorId },
  { header: 'Comment', cell: ({ commentText }) => <span className="break">{commentText}</span> },
  { header: 'Commented', cell: ({ commentedAt }) => <Time at={commentedAt} /> },
];

export function PostData({ challengeId }: { readonly challengeId: number }) {
  const client = useClient();
  const readComments = useAction(() => client.challenges.refreshComments({ challengeId }, { timeoutMs: READING_MS }), {
    done: ({ totalFetched, sweepStatus }) => `${number(totalFetched)} comments read (${sweepStatus}).`,
  });
  const readMetrics = useAction(() => client.challenges.refreshMetrics({ challengeId }), {
    done: (answer) => ('status' in answer ? 'The reading is queued.' : 'The numbers are up to date.'),
  });
  const readLikers = useAction(() => client.challenges.refreshLikers({ challengeId }), {
    done: ({ status }) => `The reading of likers is ${status}.`,
  });
  const metrics = useQuery({
    queryKey: ['challenge', challengeId, 'metrics'],
    queryFn: ({ signal }) =>
      client.challenges.metrics({ challengeId }, { signal }).catch((error: unknown) => {
        if (error instanceof CredenceApiError && error.status === 404) return null;
        throw error;
      }),
  });
  const likers = useQuery({
    queryKey: ['challenge', challengeId, 'likers'],
    queryFn: ({ signal }) => client.challenges.likersStatus({ challengeId }, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.status === 'queued' || state.data?.status === 'running' ? every(WHILE_READING_MS)() : false,
  });
  const comments: RowPages<StoredComment> = {
    key: ['challenge', challengeId, 'comments'],
    read: (page, signal) => client.challenges.listComments({ challengeId, ...page }, { signal }),
    refetchInterval: readComments.isPending && every(WHILE_READING_MS),
  };
  const stored = useQuery(firstPage(comments)).data?.pagination.total ?? 0;
  return (
    <Section
      title="Post"
      actions={
        <>
          <ActionButton action={readMetrics}>Read the numbers</ActionButton>
          <ActionButton action={readComments}>Read the comments</ActionButton>
          <ActionButton action={readLikers}>Read the likers</ActionButton>
        </>
      }
    >
      <Answered query={metrics}>
        {(numbers) =>
          numbers === null ? (
            <Text c="dimmed">The numbers of the post have not been read yet.</Text>
          ) : (
            <Facts
              of={[
                ['Likes', number(numbers.likeCount)],
                ['Comments', number(numbers.commentCount)],
                ['Shares', number(numbers.shareCount)],
                ['Views', number(numbers.viewCount)],
                ['Read', <Time key="read" at={numbers.fetchedAt} />],
              ]}
            />
          )
        }
      </Answered>
      {readComments.isPending && <Reading stored={stored} expected={metrics.data?.commentCount ?? null} />}
      {likers.data && (
        <Text role="status">
          Likers: {words(likers.data.status)}, {number(likers.data.fetchedCount)} of {number(likers.data.totalLikes)}.{' '}
          {likers.data.errorMessage}
        </Text>
      )}
      <Warnings of={[likers.data?.warning]} />
      <PagedRows
        label="Stored comments"
        list={comments}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty="No comments are stored. Read them from the platform."
      />
    </Section>
  );
}

function Reading({ stored, expected }: { readonly stored: number; readonly expected: number | null }) {
  const share = expected === null || expected === 0 ? 100 : Math.min(100, (100 * stored) / expected);
  return (
    <Group role="status" grow>
      <div>
        <Text size="sm">
          Reading the comments: {number(stored)} stored{expected === null ? '' : ` of about ${number(expected)}`}
        </Text>
        <Progress value={share} animated aria-label="Comments read" />
      </div>
    </Group>
  );
}
