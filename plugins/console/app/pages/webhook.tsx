// biome-ignore-all lint/correctness/noComponentHookFactories: cells of a table are no components.
/** One webhook: test it, change its secret, see what was sent, and send it again. */
import type { CredenceClient, Webhook, WebhookDelivery } from '@credence/client';
import { Group, Menu, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { PathParameters } from '../pages.tsx';
import { ActionButton, ActionItem, MoreMenu } from '../parts/action.tsx';
import { every } from '../parts/connection.tsx';
import { Failure } from '../parts/failure.tsx';
import { FilterSelect, useFilters } from '../parts/filters.tsx';
import { DialogButton, FormDialog } from '../parts/form.tsx';
import { number, StateBadge, Time } from '../parts/format.tsx';
import { LastFailure, SuccessRate } from '../parts/health.tsx';
import { navigate } from '../parts/location.ts';
import { Answered, Facts, Page, PageLink, Section } from '../parts/page.tsx';
import { PagedRows, useList, useRead, useTotal } from '../parts/reads.tsx';
import type { Columns } from '../parts/rows.tsx';
import { DeliveryChart, OverTime } from '../parts/series.tsx';
import { showOnce } from '../parts/shown-once.tsx';
import { ABOUT_SECRET, WebhookDialog } from '../parts/webhook-dialog.tsx';

type EventOfAttempt = 'creator.verified' | 'reward.issued' | 'verification.failed';
const STATUSES = ['pending', 'succeeded', 'failed', 'cancelled'] as const;

export default function WebhookPage({ brandId = '', webhookId = '' }: PathParameters) {
  const webhook = useRead(
    'webhooks.list',
    { brandId: Number(brandId) },
    {
      refetchInterval: every(10_000),
      select: (all) => all.find(({ id }) => id === Number(webhookId)) ?? null,
    },
  );
  return (
    <Page
      title={webhook.data?.url ?? `Webhook ${webhookId}`}
      state={webhook.data && <StateBadge state={webhook.data.active ? 'active' : 'paused'} />}
      above={{ to: `/webhooks/${brandId}`, label: 'Webhooks' }}
      id={webhookId}
      actions={webhook.data && <Actions brandId={Number(brandId)} webhook={webhook.data} />}
    >
      <Answered query={webhook}>
        {(found) =>
          found === null ? (
            <Text>There is no such webhook.</Text>
          ) : (
            <>
              <Section title="About">
                <Facts
                  of={{
                    Events: found.events.join(', '),
                    'Last sent': <Time at={found.lastTriggeredAt} />,
                    'Success (last 100)': <SuccessRate of={found.health} />,
                    'Last failure': <LastFailure of={found.health} />,
                  }}
                />
              </Section>
              <OverTime>
                {(range) => <DeliveryChart range={range} of={{ brandId: Number(brandId), webhookId: found.id }} />}
              </OverTime>
              <Deliveries brandId={Number(brandId)} webhook={found} />
            </>
          )
        }
      </Answered>
    </Page>
  );
}

function Actions({ brandId, webhook }: { readonly brandId: number; readonly webhook: Webhook }) {
  const { id, active } = webhook;
  const [isEdited, { open: edit, close }] = useDisclosure(false);
  const input = { brandId, webhookId: id };
  return (
    <>
      <ActionButton run={(client) => client.webhooks.test(input)} done={() => 'The test event is on its way.'}>
        Send a test event
      </ActionButton>
      <MoreMenu>
        <Menu.Item onClick={edit}>Edit</Menu.Item>
        <ActionItem
          run={(client) => client.webhooks.update({ ...input, active: !active })}
          done={(changed) => (changed.active ? 'The webhook is active.' : 'The webhook is paused.')}
        >
          {active ? 'Pause' : 'Resume'}
        </ActionItem>
        <ActionItem
          run={(client) => client.webhooks.rotateSecret(input)}
          keep={({ secret }) => showOnce({ title: `New secret of ${webhook.url}`, secret, about: ABOUT_SECRET })}
          question={`Rotate the secret of ${webhook.url}?`}
          about="The secret before stays valid for a day. Give your receiver both until then."
        >
          Rotate the secret
        </ActionItem>
        <ActionItem
          run={(client) => client.webhooks.delete(input)}
          done={() => 'The webhook is deleted.'}
          onDone={() => navigate(`/webhooks/${brandId}`)}
          question={`Delete the webhook to ${webhook.url}?`}
          about="The log of its deliveries goes with it. This cannot be undone."
          yes="Delete the webhook"
        >
          Delete
        </ActionItem>
      </MoreMenu>
      {isEdited && (
        <WebhookDialog
          title="Edit the webhook"
          submitLabel="Save"
          initial={webhook}
          run={(client, fields) => client.webhooks.update({ ...input, ...fields })}
          done={() => 'The webhook is changed.'}
          onClose={close}
        />
      )}
    </>
  );
}

function Deliveries({ brandId, webhook }: { readonly brandId: number; readonly webhook: Webhook }) {
  const { id: webhookId } = webhook;
  const { fields, choice } = useFilters(['status']);
  const status = STATUSES.find((known) => known === fields.status);
  const deliveries = useList('webhooks.listDeliveries', { brandId, webhookId, status }, every(3_000));
  const columns: Columns<WebhookDelivery> = {
    Event: ({ id, event }) => (
      <PageLink to={`/webhooks/${brandId}/${webhookId}/deliveries/${id}`} isShort>
        {event}
      </PageLink>
    ),
    Status: (row) => <StateBadge state={row.status} />,
    Tries: ({ tries }) => number(tries.length),
    'Last response': ({ tries }) => lastAnswer(tries.at(-1)),
    'Next try': ({ nextTryAt }) => <Time at={nextTryAt} />,
    Created: ({ createdAt }) => <Time at={createdAt} />,
    // Test events and events of platforms belong to no attempt.
    'Send again': ({ attemptId, challengeId, event }) =>
      attemptId === null || challengeId === null ? (
        '–'
      ) : (
        <ActionButton
          size="xs"
          run={(client) => client.attempts.redeliver({ attemptId, challengeId, events: [event as EventOfAttempt] })}
          done={({ data }) => `Sent again: ${data.redelivered.join(', ')}.`}
        >
          Replay
        </ActionButton>
      ),
  };
  return (
    <Section
      title="Deliveries"
      actions={
        <DialogButton dialog={(close) => <ReplayFailed brandId={brandId} webhook={webhook} onClose={close} />}>
          Send failed ones again
        </DialogButton>
      }
    >
      <Group>
        <FilterSelect label="Status" names={STATUSES} {...choice('status')} />
      </Group>
      <PagedRows
        list={deliveries}
        columns={columns}
        rowKey={({ id }) => id}
        empty="Nothing was sent yet. Send a test event."
      />
    </Section>
  );
}

function lastAnswer(last: WebhookDelivery['tries'][number] | undefined) {
  return last === undefined ? '–' : (last.status ?? 'None');
}

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

/** Asks since when failed deliveries are sent again, and says how many there are. */
function ReplayFailed({ brandId, webhook: { id: webhookId, url, active }, onClose }: ReplayFailedProps) {
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
