/** The participants of a campaign as a file. */

import type { Participant } from '@credence/client';
import { toCsv } from '../../../../csv/index.ts';
import { ActionButton, useAction } from '../../parts/action.tsx';
import { download } from '../../parts/download.ts';
import { useClient } from '../../session.tsx';

const COLUMNS = [
  'attemptId',
  'externalId',
  'displayName',
  'platform',
  'platformUsername',
  'state',
  'retryCount',
  'pointsAwarded',
  'verifiedAt',
  'rewardedAt',
  'createdAt',
  'updatedAt',
] as const;

const PAGE_SIZE = 100;

interface ResultsProps {
  readonly campaignId: number;
  /** Only participants in this state. */
  readonly state?: Participant['state'] | undefined;
}

export function ResultsButton(properties: ResultsProps) {
  const save = useResults(properties);
  return <ActionButton action={save}>Save as CSV</ActionButton>;
}

/** Saves the participants. */
export function useResults({ campaignId, state }: ResultsProps) {
  const client = useClient();
  return useAction(
    async () => {
      const rows: (string | number | null)[][] = [];
      for await (const row of client.campaigns.listResults({ id: campaignId, state, limit: PAGE_SIZE })) {
        rows.push([...COLUMNS.map((name) => row[name]), row.matchedComment?.commentText ?? null]);
      }
      download(
        `campaign-${campaignId}${state === undefined ? '' : `-${state}`}.csv`,
        toCsv([...COLUMNS, 'matchedComment'], rows),
      );
      return rows.length;
    },
    { done: (count) => `${count} participants saved.` },
  );
}
