/** The settings of the instance, without secrets. They are changed where it is started. */

import type { Setting } from '@credence/client';
import { Text, TextInput } from '@mantine/core';
import { useFilters } from '../parts/filters.tsx';
import { Page } from '../parts/page.tsx';
import { useRead } from '../parts/reads.tsx';
import { AnsweredRows, type Columns } from '../parts/rows.tsx';

const COLUMNS: Columns<Setting> = {
  Field: ({ field }) => <span className="break">{field}</span>,
  Value: (setting) => <span className="break">{textOf(setting)}</span>,
};

export default function Settings() {
  const { fields, text } = useFilters(['search']);
  const settings = useRead('settings.list', {});
  return (
    <Page title="Settings">
      <Text>
        These are the settings of the process that answers. To change one, change the configuration and start it again.
      </Text>
      <TextInput label="Search" type="search" {...text('search')} />
      <AnsweredRows
        query={settings}
        keep={({ field }) => field.toLowerCase().includes(fields.search.trim().toLowerCase())}
        columns={COLUMNS}
        rowKey={({ field }) => field}
        empty="There is no such setting."
      />
    </Page>
  );
}

function textOf({ isSet, isSecret, value }: Setting): string {
  if (!isSet) return 'Not set';
  if (isSecret) return '••••••••';
  if (value === null) return 'Set';
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.join(', ');
  return String(value);
}
