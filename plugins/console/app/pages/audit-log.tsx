/** What administrators and brands changed, newest first. */

import type { AuditEntry } from '@credence/client';
import { Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { Id } from '../parts/copy.tsx';
import { useFilters } from '../parts/filters.tsx';
import { DialogButton } from '../parts/form.tsx';
import { StateBadge, Time, words } from '../parts/format.tsx';
import { LocalTimeInput, utcOf } from '../parts/local-time.tsx';
import { Facts, Page } from '../parts/page.tsx';
import { PagedRows, useList } from '../parts/reads.tsx';
import type { Columns } from '../parts/rows.tsx';

const FILTERS = ['actor', 'operation', 'target', 'request', 'from', 'to'] as const;

const COLUMNS: Columns<AuditEntry> = {
  At: ({ at }) => <Time at={at} />,
  Who: ({ actor, actorName }) => <span className="break">{actorName ?? actor}</span>,
  What: ({ operation }) => operation,
  Target: ({ target }) => <span className="break">{target ?? '–'}</span>,
  Outcome: ({ outcome }) => <StateBadge state={outcome} />,
  Change: (entry) => <ShowChange entry={entry} />,
};

export default function AuditLog() {
  const { fields, text } = useFilters(FILTERS);
  const filters = {
    actor: fields.actor || undefined,
    operation: fields.operation || undefined,
    target: fields.target || undefined,
    requestId: fields.request || undefined,
    from: utcOf(fields.from) ?? undefined,
    to: utcOf(fields.to) ?? undefined,
  };
  const entries = useList('audit.list', filters);
  return (
    <Page title="Audit log">
      <Group align="end">
        <TextInput label="Who" placeholder="token:7" {...text('actor')} />
        <TextInput label="What" placeholder="createBrand" {...text('operation')} />
        <TextInput label="Target" placeholder="campaign:3" {...text('target')} />
        <TextInput label="Request" {...text('request')} />
        <LocalTimeInput label="From" {...text('from')} />
        <LocalTimeInput label="Before" {...text('to')} />
      </Group>
      <PagedRows
        list={entries}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty="There are no such entries. Change the filters."
      />
    </Page>
  );
}

function ShowChange({ entry }: { readonly entry: AuditEntry }) {
  const { id, operation } = entry;
  return (
    <DialogButton
      size="xs"
      aria-label={`Show change ${id}`}
      dialog={(close) => (
        <Modal opened onClose={close} title={`${words(operation)}, entry ${id}`} size="lg">
          <Change entry={entry} />
        </Modal>
      )}
    >
      Show
    </DialogButton>
  );
}

function Change({ entry }: { readonly entry: AuditEntry }) {
  const { actor, role, error, requestId, before, after } = entry;
  return (
    <Stack>
      <Facts
        of={{
          Who: actor,
          Role: role,
          'Refused as': error ?? '–',
          Request: <Id name="the request id">{requestId}</Id>,
        }}
      />
      {Object.entries({ Before: before, After: after }).map(([name, value]) => (
        <div key={name}>
          <Text size="sm" c="dimmed">
            {name}
          </Text>
          <Code block tabIndex={0}>
            {value === null || value === undefined ? 'Nothing' : JSON.stringify(value, null, 2)}
          </Code>
        </div>
      ))}
    </Stack>
  );
}
