/** All brands that the token may see, and a form for a new one. */

import type { Brand, CredenceClient } from '@credence/client';
import { Group, TextInput } from '@mantine/core';
import type { ChangeEvent } from 'react';
import { ActionButton } from '../parts/action.tsx';
import { useBrands } from '../parts/brands.tsx';
import { Id } from '../parts/copy.tsx';
import { DialogButton, Form, FormDialog, useFields } from '../parts/form.tsx';
import { Time } from '../parts/format.tsx';
import { Page, PageLink, Section } from '../parts/page.tsx';
import { AnsweredRows, type Columns } from '../parts/rows.tsx';
import { useSession } from '../session.tsx';

const COLUMNS: Columns<Brand> = {
  Id: ({ id, name }) => <Id name={`the id of ${name}`}>{id}</Id>,
  Name: ({ id, name }) => <PageLink to={`/brands/${id}`}>{name}</PageLink>,
  Slug: ({ slug }) => slug,
  Logo: ({ logoUrl }) => <span className="break">{logoUrl ?? '–'}</span>,
  Created: ({ createdAt }) => <Time at={createdAt} />,
  Change: (brand) => <BrandActions brand={brand} />,
};

const SLUG = { pattern: '[a-z0-9]+(-[a-z0-9]+)*', title: 'Lower-case letters, digits and single hyphens' };

export default function Brands() {
  const { caller } = useSession();
  const brands = useBrands();
  return (
    <Page title="Brands">
      {caller.role === 'admin' && <NewBrand />}
      <Section title="All brands">
        <AnsweredRows query={brands} columns={COLUMNS} rowKey={({ id }) => id} empty="There are none yet." />
      </Section>
    </Page>
  );
}

const slugOf = (name: string) =>
  name
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.join('-') ?? '';

function NewBrand() {
  const { fields, set, text, clear } = useFields({ name: '', slug: '', logoUrl: '' });
  /** The slug follows until somebody types another one. */
  const rename = ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => {
    if (fields.slug === slugOf(fields.name)) set('slug', slugOf(value));
    set('name', value);
  };
  return (
    <Form
      run={(client) => client.brands.create({ ...fields, logoUrl: fields.logoUrl || null })}
      done={({ name }) => `The brand “${name}” is there.`}
      onDone={clear}
      submitLabel="Create the brand"
      isRow
      aria-label="New brand"
    >
      <TextInput label="Name" required maxLength={200} value={fields.name} onChange={rename} />
      <TextInput label="Slug" required {...SLUG} {...text('slug')} />
      <TextInput label="URL of the logo" type="url" {...text('logoUrl')} />
    </Form>
  );
}

function BrandActions({ brand }: { readonly brand: Brand }) {
  const { caller } = useSession();
  const { id, name } = brand;
  return (
    <Group gap="xs" wrap="nowrap">
      <DialogButton
        size="xs"
        aria-label={`Edit ${name}`}
        dialog={(close) => <EditBrand brand={brand} onClose={close} />}
      >
        Edit
      </DialogButton>
      {caller.role === 'admin' && (
        <ActionButton
          size="xs"
          run={(client) => client.brands.delete({ brandId: id })}
          done={() => `“${name}” is deleted.`}
          aria-label={`Delete ${name}`}
          question={`Delete “${name}”?`}
          about="Only a brand without campaigns and webhooks can be deleted. This cannot be undone."
          yes="Delete the brand"
        >
          Delete
        </ActionButton>
      )}
    </Group>
  );
}

/** Only what was changed is sent. */
function EditBrand({ brand, onClose }: { readonly brand: Brand; readonly onClose: () => void }) {
  const { fields, initial, text } = useFields({ name: brand.name, slug: brand.slug, logoUrl: brand.logoUrl ?? '' });
  const save = (client: CredenceClient) =>
    client.brands.update({
      brandId: brand.id,
      ...(fields.name !== initial.name && { name: fields.name }),
      ...(fields.slug !== initial.slug && { slug: fields.slug }),
      ...(fields.logoUrl !== initial.logoUrl && { logoUrl: fields.logoUrl || null }),
    });
  const done = ({ name }: Brand) => `“${name}” is changed.`;
  return (
    <FormDialog title="Edit the brand" submitLabel="Save" run={save} done={done} onClose={onClose}>
      <TextInput label="Name" required maxLength={200} {...text('name')} data-autofocus />
      <TextInput
        label="Slug"
        required
        pattern="[a-z0-9\-]+"
        title="Lower-case letters, digits and hyphens"
        {...text('slug')}
      />
      <TextInput label="URL of the logo" type="url" {...text('logoUrl')} />
    </FormDialog>
  );
}
