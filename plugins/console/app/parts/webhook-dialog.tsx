/** The URL and the events of a webhook, in a dialog: for new ones and for changes. */

import type { Webhook } from '@credence/client';
import { Checkbox, Stack, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useFields } from './fields.ts';
import { FormDialog } from './form-dialog.tsx';

type Event = Webhook['events'][number];
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

interface WebhookDialogProps<Result> {
  readonly title: string;
  readonly submitLabel: string;
  readonly initial: WebhookFields;
  readonly save: UseMutationResult<Result, Error, WebhookFields>;
  readonly onClose: () => void;
}

export function WebhookDialog<Result>({ title, submitLabel, initial, save, onClose }: WebhookDialogProps<Result>) {
  const { fields, set, text } = useFields<WebhookFields>({ url: initial.url, events: initial.events });
  return (
    <FormDialog
      title={title}
      submitLabel={submitLabel}
      isIncomplete={fields.events.length === 0}
      save={save}
      onSubmit={() => save.mutate(fields)}
      onClose={onClose}
    >
      <TextInput label="URL" type="url" required {...text('url')} data-autofocus />
      <Checkbox.Group
        label="Events"
        value={[...fields.events]}
        onChange={(events) => set('events', events as Event[])}
        required
      >
        <Stack gap="xs" mt="xs">
          {EVENTS.map((event) => (
            <Checkbox key={event} value={event} label={event} />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormDialog>
  );
}
