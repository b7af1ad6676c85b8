// biome-ignore-all lint/correctness/noComponentHookFactories: cells of a table are no components.
/** What administrators and brands changed, newest first. */

import type { AuditEntry } from '@credence/client';
import { Button, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Id } from '../parts/copy.tsx';
import { useFilters } from '../parts/filters.tsx';
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
};

export default function AuditLog() {
  const { fields, text } = useFilters(FILTERS);
  // Not of the row, which is taken away as new entries come.
  const [chosen, choose] = useState<AuditEntry | null>(null);
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
        columns={{ ...COLUMNS, Change: (entry) => <ShowButton entry={entry} onClick={() => choose(entry)} /> }}
        rowKey={({ id }) => id}
        empty="There are no such entries. Change the filters."
      />
      {chosen && (
        <Modal opened onClose={() => choose(null)} title={`${words(chosen.operation)}, entry ${chosen.id}`} size="lg">
          <Change entry={chosen} />
        </Modal>
      )}
    </Page>
  );
}

function ShowButton({ entry, onClick }: { readonly entry: AuditEntry; readonly onClick: () => void }) {
  return (
    <Button variant="default" size="xs" aria-label={`Show change ${entry.id}`} onClick={onClick}>
      Show
    </Button>
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
