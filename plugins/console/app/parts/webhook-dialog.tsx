/** The URL and the events of a webhook, in a dialog: for new ones and for changes. */

import type { Webhook } from '@credence/client';
import { Button, Checkbox, Modal, Stack, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Failure } from './failure.tsx';

type Event = Webhook['events'][number];
export type WebhookFields = Pick<Webhook, 'url' | 'events'>;

const EVENTS: readonly Event[] = [
  'creator.verified',
  'reward.issued',
  'verification.failed',
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

/** Mounted while it is open, so that it always starts with what is stored. */
export function WebhookDialog<Result>({ title, submitLabel, initial, save, onClose }: WebhookDialogProps<Result>) {
  const [url, setUrl] = useState(initial.url);
  const [events, setEvents] = useState<string[]>([...initial.events]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ url, events: events as Event[] });
  };
  const close = () => {
    if (save.isPending) return;
    save.reset();
    onClose();
  };
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="URL"
            type="url"
            required
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            data-autofocus
          />
          <Checkbox.Group label="Events" value={events} onChange={setEvents} required>
            <Stack gap="xs" mt="xs">
              {EVENTS.map((event) => (
                <Checkbox key={event} value={event} label={event} />
              ))}
            </Stack>
          </Checkbox.Group>
          {save.error && <Failure error={save.error} />}
          <Button type="submit" loading={save.isPending} disabled={events.length === 0}>
            {submitLabel}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
