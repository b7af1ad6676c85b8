/** Asks since when failed deliveries are sent again, and says how many there are. */
import type { CredenceClient, Webhook } from '@credence/client';
import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import { Failure } from './failure.tsx';
import { FormDialog } from './form.tsx';
import { number } from './format.tsx';
import { useTotal } from './reads.tsx';

const HOUR_MS = 3_600_000;
const SPANS = [
  { value: '1', label: 'The last hour' },
  { value: '24', label: 'The last 24 hours' },
  { value: '168', label: 'The last 7 days' },
  { value: '720', label: 'The last 30 days' },
];

interface ReplayFailedProps {
  readonly brandId: number;
  readonly webhook: Pick<Webhook, 'id' | 'url' | 'active'>;
  readonly onClose: () => void;
}

export function ReplayFailed({ brandId, webhook: { id: webhookId, url, active }, onClose }: ReplayFailedProps) {
  const [opened] = useState(() => Date.now());
  const [hours, setHours] = useState('24');
  const since = new Date(opened - Number(hours) * HOUR_MS).toISOString();
  const { data: count, error } = useTotal('webhooks.listDeliveries', { brandId, webhookId, failedSince: since });
  const replay = async (client: CredenceClient) => {
    for (let sum = 0; ; ) {
      const { replayed, left } = await client.webhooks.replayFailed({ brandId, webhookId, since });
      sum += replayed;
      if (left === 0 || replayed === 0) return sum;
    }
  };
  return (
    <FormDialog
      title={`Send failed deliveries to ${url} again?`}
      submitLabel={count ? `Send ${number(count)} again` : 'Send them again'}
      isIncomplete={!count}
      run={replay}
      done={(sum) => `Sent again: ${number(sum)}.`}
      onClose={onClose}
    >
      <Select
        label="Given up in"
        data={SPANS}
        value={hours}
        onChange={(value) => value !== null && setHours(value)}
        data-autofocus
      />
      {error && <Failure error={error} />}
      <Text role="status">
        {count === 0 && 'None failed in that time.'}
        {count !== undefined && count > 0 && `${number(count)} failed. Each is the same message, with all its retries.`}
        {!active && ' The webhook is paused: they wait until it is resumed.'}
      </Text>
    </FormDialog>
  );
}
