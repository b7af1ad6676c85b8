/** The URL and the events of a webhook, in a dialog: for new ones and for changes. */

import type { CredenceClient, Webhook } from '@credence/client';
import { Checkbox, Stack, TextInput } from '@mantine/core';
import { FormDialog, type FormDialogProps, useFields } from './form.tsx';

type Event = Webhook['events'][number];
/** Said where it is shown. */
export const ABOUT_SECRET = 'Your receiver checks signatures with this secret. It is shown only now: store it.';
export type WebhookFields = Pick<Webhook, 'url' | 'events'>;

const EVENTS: readonly Event[] = [
  'creator.verified',
  'reward.issued',
  'verification.failed',
  'engagement.removed',
  'reward.reversed',
  'connection.expired',
  'account.connected',
  'platform.drifted',
  'platform.recovered',
];

interface WebhookDialogProps<Result> extends Omit<FormDialogProps<Result>, 'run' | 'children'> {
  readonly initial: WebhookFields;
  readonly run: (client: CredenceClient, fields: WebhookFields) => Promise<Result>;
}

export function WebhookDialog<Result>({ initial, run, ...dialog }: WebhookDialogProps<Result>) {
  const { fields, choice, text } = useFields({ url: initial.url, events: [...initial.events] });
  return (
    <FormDialog {...dialog} isIncomplete={fields.events.length === 0} run={(client) => run(client, fields)}>
      <TextInput label="URL" type="url" required {...text('url')} data-autofocus />
      <Checkbox.Group label="Events" {...choice('events')} required>
        <Stack gap="xs" mt="xs">
          {EVENTS.map((event) => (
            <Checkbox key={event} value={event} label={event} />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormDialog>
  );
}
