// biome-ignore-all lint/correctness/noComponentHookFactories: cells of a table are no components.
/** The webhooks of a brand, and new ones. */

import type { ListedWebhook } from '@credence/client';
import { Button, Code, Group, Text } from '@mantine/core';
import { useParams } from 'wouter';
import { useAction } from '../parts/action.tsx';
import { BrandSelect, useBrands } from '../parts/brands.tsx';
import { every } from '../parts/connection.tsx';
import { Failure } from '../parts/failure.tsx';
import { DialogButton } from '../parts/form.tsx';
import { number, StateBadge, Time } from '../parts/format.tsx';
import { LastFailure, SuccessRate } from '../parts/health.tsx';
import { navigate } from '../parts/location.ts';
import { Answered, Page, PageLink } from '../parts/page.tsx';
import { useRead } from '../parts/reads.tsx';
import { AnsweredRows, type Columns } from '../parts/rows.tsx';
import { showOnce } from '../parts/shown-once.tsx';
import { ABOUT_SECRET, WebhookDialog, type WebhookFields } from '../parts/webhook-dialog.tsx';
import { useSession } from '../session.tsx';

const NEW: WebhookFields = { url: '', events: ['creator.verified', 'reward.issued', 'verification.failed'] };

export default function Webhooks() {
  const { caller } = useSession();
  const { brandId: chosen } = useParams<{ brandId?: string }>();
  const brands = useBrands();
  const first = caller.brandId ?? brands.data?.[0]?.id;
  const brandId = chosen === undefined ? first : Number(chosen);
  const webhooks = useRead('webhooks.list', { brandId: brandId ?? 0 }, { enabled: brandId !== undefined });
  const columns: Columns<ListedWebhook> = {
    URL: ({ id, url }) => <PageLink to={`/webhooks/${brandId}/${id}`}>{url}</PageLink>,
    State: ({ active }) => <StateBadge state={active ? 'active' : 'paused'} />,
    Events: ({ events }) => events.join(', '),
    'Success (last 100)': ({ health }) => <SuccessRate of={health} />,
    'Last failure': ({ health }) => <LastFailure of={health} />,
    'Last sent': ({ lastTriggeredAt }) => <Time at={lastTriggeredAt} />,
  };
  return (
    <Page title="Webhooks" actions={brandId !== undefined && <Create brandId={brandId} />}>
      <Group>
        <BrandSelect
          value={brandId === undefined ? null : String(brandId)}
          onChange={(value) => value !== null && navigate(`/webhooks/${value}`)}
        />
      </Group>
      {brandId === undefined ? (
        <Answered query={brands}>{() => <Text c="dimmed">There is no brand yet. Create one first.</Text>}</Answered>
      ) : (
        <AnsweredRows
          query={webhooks}
          columns={columns}
          rowKey={({ id }) => id}
          empty="The brand has no webhooks yet. Create one to hear of rewards."
        />
      )}
    </Page>
  );
}

function Create({ brandId }: { readonly brandId: number }) {
  return (
    <DialogButton
      variant="filled"
      dialog={(close) => (
        <WebhookDialog
          title="Create a webhook"
          submitLabel="Create the webhook"
          initial={NEW}
          run={(client, fields) => client.webhooks.create({ brandId, ...fields })}
          keep={({ id, url, secret }) =>
            showOnce({
              title: `Secret of the webhook to ${url}`,
              secret,
              about: ABOUT_SECRET,
              below: <TestEvent brandId={brandId} webhookId={id} />,
            })
          }
          onClose={close}
        />
      )}
    >
      Create a webhook
    </DialogButton>
  );
}

/** Sends a test event, and shows what the receiver answered. */
function TestEvent(webhook: { readonly brandId: number; readonly webhookId: number }) {
  const test = useAction((client) => client.webhooks.test(webhook));
  const place = { ...webhook, deliveryId: test.data?.id ?? 0 };
  const sent = useRead('webhooks.getDelivery', place, {
    enabled: test.data !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? every(500)() : false),
  });
  const outcome = sent.data?.tries.at(-1);
  const isWaiting = test.isPending || (test.data !== undefined && outcome === undefined && sent.error === null);
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
      {sent.error && <Failure error={sent.error} onRetry={() => void sent.refetch()} />}
      {outcome?.response && (
        <Code block className="break" tabIndex={0} role="region" aria-label="Response">
          {outcome.response}
        </Code>
      )}
    </>
  );
}
