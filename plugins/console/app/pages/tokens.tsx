/** API tokens: make one, which is shown once, and revoke. */

import type { ApiToken, CredenceClient } from '@credence/client';
import { Checkbox, Group, Select, TextInput } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { ActionButton } from '../parts/action.tsx';
import { BrandName, BrandSelect } from '../parts/brands.tsx';
import { Id } from '../parts/copy.tsx';
import { Form, useFields } from '../parts/form.tsx';
import { number, StateBadge, Time } from '../parts/format.tsx';
import { given } from '../parts/given.ts';
import { Page, Section } from '../parts/page.tsx';
import { useRead } from '../parts/reads.tsx';
import { AnsweredRows, type Columns } from '../parts/rows.tsx';
import { showOnce } from '../parts/shown-once.tsx';
import { useSession } from '../session.tsx';

const ROLES = [
  { value: 'admin', label: 'Admin: everything' },
  { value: 'client', label: 'Client: campaigns and lookups' },
  { value: 'brand', label: 'Brand: what belongs to one brand' },
  { value: 'creator', label: 'Creator: the accounts of one creator' },
] as const;
type TokenRole = (typeof ROLES)[number]['value'];

const EMPTY = {
  name: '',
  role: 'client' as TokenRole,
  brandId: null as string | null,
  externalId: '',
  requests: undefined as number | undefined,
  webProofsPerDay: undefined as number | undefined,
};

const COLUMNS: Columns<ApiToken> = {
  Id: ({ id, name }) => <Id name={`the id of ${name}`}>{id}</Id>,
  Name: ({ name }) => <span className="break">{name}</span>,
  Role: ({ role }) => role,
  Of: ({ brandId, externalId }) => (brandId === null ? (externalId ?? 'All') : <BrandName id={brandId} />),
  Quota: ({ quota }) => quotaText(quota),
  Created: ({ createdAt }) => <Time at={createdAt} />,
  State: (token) => (token.revokedAt === null ? <Revoke token={token} /> : <StateBadge state="revoked" />),
};

export default function Tokens() {
  const [showsRevoked, setShowsRevoked] = useInputState(false);
  const tokens = useRead('tokens.list', {});
  return (
    <Page title="Tokens">
      <NewToken />
      <Section
        title="All tokens"
        actions={<Checkbox label="Show revoked ones" checked={showsRevoked} onChange={setShowsRevoked} />}
      >
        <AnsweredRows
          query={tokens}
          keep={({ revokedAt }) => showsRevoked || revokedAt === null}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty="There are none. The token of the configuration is not in this list."
        />
      </Section>
    </Page>
  );
}

function quotaText(quota: ApiToken['quota']): string {
  const { requests, windowSeconds = 60, webProofsPerDay } = quota ?? {};
  const parts = [
    ...(requests === undefined ? [] : [`${number(requests)} requests in ${number(windowSeconds)} s`]),
    ...(webProofsPerDay === undefined ? [] : [`${number(webProofsPerDay)} web proofs a day`]),
  ];
  return parts.length === 0 ? 'None' : parts.join(', ');
}

function Revoke({ token }: { readonly token: ApiToken }) {
  const { caller } = useSession();
  // The API refuses it too: one would lock oneself out.
  if (token.id === caller.tokenId) return 'Yours';
  return (
    <ActionButton
      run={(client) => client.tokens.revoke({ tokenId: token.id })}
      done={({ name }) => `The token “${name}” is revoked.`}
      size="xs"
      aria-label={`Revoke ${token.name}`}
      question={`Revoke “${token.name}”?`}
      about="Anyone who uses it is refused from now on. This cannot be undone."
      yes="Revoke the token"
    >
      Revoke
    </ActionButton>
  );
}

function NewToken() {
  const { fields, choice, number: count, text, clear } = useFields(EMPTY);
  const { role } = fields;
  const create = (client: CredenceClient) => {
    const quota = given({ requests: fields.requests, webProofsPerDay: fields.webProofsPerDay });
    return client.tokens.create({
      name: fields.name,
      role,
      ...(role === 'brand' ? { brandId: Number(fields.brandId) } : {}),
      ...(role === 'creator' ? { externalId: fields.externalId } : {}),
      ...(quota && { quota }),
    });
  };
  return (
    <Form
      run={create}
      keep={({ name, token }) =>
        showOnce({ title: `The token “${name}”`, secret: token, about: 'Store it now. It is not shown again.' })
      }
      onDone={clear}
      submitLabel="Create the token"
      isRow
      aria-label="New token"
    >
      <Group align="end" w="100%">
        <TextInput label="Name" required maxLength={200} {...text('name')} />
        <Select label="Role" w="20rem" maw="100%" data={ROLES} {...choice('role')} />
        {role === 'brand' && <BrandSelect required {...choice('brandId')} />}
        {role === 'creator' && <TextInput label="External id of the creator" required {...text('externalId')} />}
      </Group>
      <TextInput label="Requests a minute" placeholder="No limit" type="number" min={1} {...count('requests')} />
      <TextInput label="Web proofs a day" placeholder="No limit" type="number" min={1} {...count('webProofsPerDay')} />
    </Form>
  );
}
