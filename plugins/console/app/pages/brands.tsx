/** All brands that the token may see, and a form for a new one. */

import type { Brand } from '@credence/client';
import { Button, Group, Paper, Stack, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useAction } from '../parts/action.tsx';
import { useBrands } from '../parts/brands.tsx';
import { Failure } from '../parts/failure.tsx';
import { useFields } from '../parts/fields.ts';
import { Time } from '../parts/format.tsx';
import { Answered, Page, Section } from '../parts/page.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { useSession } from '../session.tsx';

const COLUMNS: readonly Column<Brand>[] = [
  { header: 'Id', cell: ({ id }) => id },
  { header: 'Name', cell: ({ name }) => <span className="break">{name}</span> },
  { header: 'Slug', cell: ({ slug }) => slug },
  { header: 'Logo', cell: ({ logoUrl }) => <span className="break">{logoUrl ?? '–'}</span> },
  { header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const EMPTY = { name: '', slug: '', logoUrl: '' };

export default function Brands() {
  const { caller } = useSession();
  const brands = useBrands();
  return (
    <Page title="Brands">
      {caller.role === 'admin' && <NewBrand />}
      <Section title="All brands">
        <Answered query={brands}>
          {(rows) => (
            <Rows label="Brands" rows={rows} columns={COLUMNS} rowKey={({ id }) => id} empty="There are none yet." />
          )}
        </Answered>
      </Section>
    </Page>
  );
}

function NewBrand() {
  const { client } = useSession();
  const { fields, text, clear } = useFields(EMPTY);
  const create = useAction(
    () => client.brands.create({ name: fields.name, slug: fields.slug, logoUrl: fields.logoUrl || null }),
    { done: ({ name }) => `The brand “${name}” is there.`, onDone: clear, inForm: true },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Paper withBorder p="md">
      <form onSubmit={submit} aria-label="New brand">
        <Stack>
          <Group align="end">
            <TextInput label="Name" required maxLength={200} {...text('name')} />
            <TextInput
              label="Slug"
              required
              pattern="[a-z0-9]+(-[a-z0-9]+)*"
              title="Lower-case letters, digits and single hyphens"
              {...text('slug')}
            />
            <TextInput label="URL of the logo" type="url" {...text('logoUrl')} />
            <Button type="submit" loading={create.isPending}>
              Create the brand
            </Button>
          </Group>
          {create.error && <Failure error={create.error} />}
        </Stack>
      </form>
    </Paper>
  );
}
