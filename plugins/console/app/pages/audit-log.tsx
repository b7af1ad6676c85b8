/** What administrators and brands changed, newest first. */

import type { AuditEntry } from '@credence/client';
import { Button, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Id } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { useFilters } from '../parts/fields.ts';
import { Time, words } from '../parts/format.tsx';
import { LocalTimeInput, utcOf } from '../parts/local-time.tsx';
import { Page } from '../parts/page.tsx';
import { PagedRows } from '../parts/paged-rows.tsx';
import { useList } from '../parts/reads.ts';
import type { Column } from '../parts/rows.tsx';
import { StateBadge } from '../parts/state-badge.tsx';

const FILTERS = ['actor', 'operation', 'target', 'request', 'from', 'to'] as const;

export default function AuditLog() {
  const { fields, text } = useFilters(FILTERS);
  const [chosen, setChosen] = useState<AuditEntry | null>(null);
  const filters = {
    actor: fields.actor || undefined,
    operation: fields.operation || undefined,
    target: fields.target || undefined,
    requestId: fields.request || undefined,
    from: utcOf(fields.from) ?? undefined,
    to: utcOf(fields.to) ?? undefined,
  };
  const entries = useList('audit.list', filters);
  const columns: readonly Column<AuditEntry>[] = [
    { header: 'At', cell: ({ at }) => <Time at={at} /> },
    { header: 'Who', cell: ({ actor, actorName }) => <span className="break">{actorName ?? actor}</span> },
    { header: 'What', cell: ({ operation }) => operation },
    { header: 'Target', cell: ({ target }) => <span className="break">{target ?? '–'}</span> },
    { header: 'Outcome', cell: ({ outcome }) => <StateBadge state={outcome} /> },
    {
      header: 'Change',
      cell: (entry) => (
        <Button variant="default" size="xs" onClick={() => setChosen(entry)} aria-label={`Show change ${entry.id}`}>
          Show
        </Button>
      ),
    },
  ];
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
        label="Audit log"
        list={entries}
        columns={columns}
        rowKey={({ id }) => id}
        empty="There are no such entries. Change the filters."
      />
      <Modal
        opened={chosen !== null}
        onClose={() => setChosen(null)}
        title={chosen === null ? '' : `${words(chosen.operation)}, entry ${chosen.id}`}
        size="lg"
      >
        {chosen !== null && <Change entry={chosen} />}
      </Modal>
    </Page>
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
