/** Sends a test event, and shows what the receiver answered. */
import { Button, Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../session.tsx';
import { useAction } from './action.tsx';
import { every } from './connection.tsx';
import { number } from './format.tsx';

const LOOK_AGAIN_MS = 500;

export function TestEvent(webhook: { readonly brandId: number; readonly webhookId: number }) {
  const client = useClient();
  const test = useAction(() => client.webhooks.test(webhook), { done: () => null });
  const place = { ...webhook, deliveryId: test.data?.id ?? 0 };
  const sent = useQuery({
    queryKey: ['webhook', webhook.webhookId, 'delivery', place],
    queryFn: ({ signal }) => client.webhooks.getDelivery(place, { signal }),
    enabled: test.data !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? every(LOOK_AGAIN_MS)() : false),
  });
  const outcome = sent.data?.tries.at(-1);
  const isWaiting = test.isPending || (test.data !== undefined && outcome === undefined);
  return (
    <>
      <Group>
        <Button variant="default" loading={isWaiting} onClick={() => test.mutate()}>
          Send a test event
        </Button>
        <Text role="status" c={outcome?.error ? 'var(--mantine-color-error)' : undefined}>
          {outcome &&
            `${outcome.error ?? `The receiver answered ${outcome.status}.`} It took ${number(outcome.durationMs)} ms.`}
        </Text>
      </Group>
      {outcome?.response && (
        <Code block className="break lines" tabIndex={0} role="region" aria-label="Response">
          {outcome.response}
        </Code>
      )}
    </>
  );
}
