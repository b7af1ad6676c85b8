/** One delivery of a webhook: the body that was sent, and every try. */

import type { WebhookDeliveryWithBody } from '@credence/client';
import { Code, Text } from '@mantine/core';
import type { PathParameters } from '../pages.tsx';
import { every } from '../parts/connection.tsx';
import { Copy, Id } from '../parts/copy.tsx';
import { number, StateBadge, Time } from '../parts/format.tsx';
import { Answered, Facts, Page, Section } from '../parts/page.tsx';
import { useRead } from '../parts/reads.tsx';
import { type Columns, Rows } from '../parts/rows.tsx';

type Try = WebhookDeliveryWithBody['tries'][number];

const TRIES: Columns<Try> = {
  At: ({ at }) => <Time at={at} />,
  Status: ({ status }) => status ?? 'None',
  Error: ({ error }) => <span className="break">{error ?? '–'}</span>,
  Milliseconds: ({ durationMs }) => number(durationMs),
  Response: ({ response }) => <span className="break lines">{response ?? '–'}</span>,
};

export default function DeliveryPage({ brandId = '', webhookId = '', deliveryId = '' }: PathParameters) {
  const place = { brandId: Number(brandId), webhookId: Number(webhookId), deliveryId: Number(deliveryId) };
  const delivery = useRead('webhooks.getDelivery', place, {
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? every(3_000)() : false),
  });
  return (
    <Page
      title={`Delivery ${deliveryId}`}
      id={deliveryId}
      above={{ to: `/webhooks/${brandId}/${webhookId}`, label: `Webhook ${webhookId}` }}
    >
      <Answered query={delivery}>
        {(found) => (
          <>
            <Section title="About">
              <Facts
                of={{
                  Event: found.event,
                  Status: <StateBadge state={found.status} />,
                  Message: <Id name="the message id">{found.messageId}</Id>,
                  Created: <Time at={found.createdAt} />,
                  'Next try': <Time at={found.nextTryAt} />,
                  Finished: <Time at={found.finishedAt} />,
                }}
              />
            </Section>
            <Section title="Tries">
              <Rows rows={found.tries} columns={TRIES} rowKey={({ at }) => at} empty="It was not tried yet." />
            </Section>
            <Section title="Body" actions={<Copy text={found.body} />}>
              <Text size="sm" c="dimmed">
                Indented for reading. Copy gives the text that was signed and sent.
              </Text>
              <Code block className="rows" tabIndex={0} role="region" aria-label="Body as JSON">
                {JSON.stringify(JSON.parse(found.body), null, 2)}
              </Code>
            </Section>
          </>
        )}
      </Answered>
    </Page>
  );
}
