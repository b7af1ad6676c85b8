/** The participants of a campaign as a file. */

import type { CredenceClient } from '@credence/client';
import { toCsv } from '../../../../csv/index.ts';
import { download } from '../../parts/download.ts';

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

interface ResultsProps {
  readonly campaignId: number;
  /** What the list shows. */
  readonly filter?: Pick<
    Parameters<CredenceClient['campaigns']['listResults']>[0],
    'state' | 'held' | 'signal' | 'q' | 'sort'
  >;
}

/** Saves the participants: what a button or an item of a menu needs. */
export const savingResults = ({ campaignId, filter = {} }: ResultsProps) => ({
  run: async (client: CredenceClient) => {
    const rows: (string | number | null)[][] = [];
    for await (const row of client.campaigns.listResults({ id: campaignId, ...filter, limit: 100 })) {
      const { commentText = null, removed } = row.matchedComment ?? {};
      rows.push([
        ...COLUMNS.map((name) => row[name]),
        commentText,
        removed?.how ?? null,
        row.signals?.join(' ') ?? null,
        row.held?.why ?? null,
      ]);
    }
    download(
      `campaign-${campaignId}${filter.state === undefined ? '' : `-${filter.state}`}.csv`,
      toCsv([...COLUMNS, 'matchedComment', 'removed', 'signals', 'held'], rows),
    );
    return rows.length;
  },
  done: (count: number) => `${count} participants saved.`,
});
