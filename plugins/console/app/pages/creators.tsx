/** All creators with their accounts: search, register, import, read profiles again. */

import type { CreatorRow } from '@credence/client';
import { Autocomplete, Button, TextInput } from '@mantine/core';
import { useDeferredValue, useRef } from 'react';
import { Link } from 'wouter';
import { useFilters } from '../parts/filters.tsx';
import { Form, useFields } from '../parts/form.tsx';
import { number, Time } from '../parts/format.tsx';
import { Page, PageLink, Section } from '../parts/page.tsx';
import { useRead } from '../parts/reads.tsx';
import { AnsweredRows, type Columns } from '../parts/rows.tsx';
import { ConnectLink, PLATFORMS } from './creator/connect-link.tsx';

export const useCreators = () => useRead('creators.list', {});

const COLUMNS: Columns<CreatorRow> = {
  Creator: ({ userId, displayName, externalId, profileData }) => (
    <PageLink to={`/creators/${userId}`}>{displayName ?? profileData.full_name ?? externalId}</PageLink>
  ),
  'External id': ({ externalId }) => <span className="break">{externalId}</span>,
  Platform: ({ platform }) => platform,
  Handle: ({ platformUsername }) => <span className="break">@{platformUsername}</span>,
  Followers: ({ profileData }) => number(profileData.followers),
  Attempts: ({ totalAttempts }) => number(totalAttempts),
  Rewarded: ({ totalRewarded }) => number(totalRewarded),
  Points: ({ totalPoints }) => number(totalPoints),
  Connected: ({ connectedAt }) => <Time at={connectedAt} />,
};

export default function Creators() {
  const creators = useCreators();
  const { fields, text } = useFilters(['search']);
  const words = useDeferredValue(fields.search.trim().toLowerCase());
  return (
    <Page
      title="Creators"
      actions={
        <>
          <ConnectLink />
          <Button component={Link} href="/creators/import" variant="default">
            Import a CSV file
          </Button>
        </>
      }
    >
      <NewCreator />
      <Section title="All accounts">
        <TextInput
          label="Search"
          placeholder="Name, external id, handle, email or platform"
          type="search"
          {...text('search')}
        />
        <AnsweredRows
          query={creators}
          keep={(row) => fits(row, words)}
          columns={COLUMNS}
          rowKey={({ userId, platform, platformUsername }) => `${userId} ${platform} ${platformUsername}`}
          empty="There are no such creators. Register one, or search for something else."
        />
      </Section>
    </Page>
  );
}

function fits({ displayName, platformUsername, email, platform, externalId }: CreatorRow, words: string): boolean {
  if (words === '') return true;
  const text = `${displayName ?? ''} @${platformUsername} ${email} ${platform} ${externalId}`.toLowerCase();
  return words.split(/\s+/).every((word) => text.includes(word));
}

function NewCreator() {
  const { fields, choice, text, clear } = useFields({ externalId: '', platform: '', handle: '' });
  const first = useRef<HTMLInputElement>(null);
  const begin = () => {
    clear();
    first.current?.focus();
  };
  return (
    <Form
      run={(client) => client.creators.register(fields)}
      done={({ socialAccount }) => `@${socialAccount.platformUsername} is linked.`}
      onDone={begin}
      submitLabel="Register"
      isRow
      aria-label="New creator"
    >
      <TextInput label="External id" required ref={first} {...text('externalId')} />
      <Autocomplete label="Platform" required data={PLATFORMS} {...choice('platform')} />
      <TextInput label="Handle" placeholder="@name" required {...text('handle')} />
    </Form>
  );
}
