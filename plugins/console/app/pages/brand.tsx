/** One brand: who leads over its campaigns, and the accounts that it has connected. */

import type { BrandConnection, LeaderboardRow } from '@credence/client';
import { Select, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useParams } from 'wouter';
import { ActionButton } from '../parts/action.tsx';
import { useBrandName } from '../parts/brands.tsx';
import { DialogButton, FormDialog } from '../parts/form.tsx';
import { number, StateBadge, Time } from '../parts/format.tsx';
import { leaveFor } from '../parts/landing.ts';
import { Page, PageLink, Section } from '../parts/page.tsx';
import { PagedRows, useList, useRead } from '../parts/reads.tsx';
import { AnsweredRows, type Columns } from '../parts/rows.tsx';
import { settings } from '../settings.ts';
import { PLATFORMS } from './creator/connect-link.tsx';

const AGAIN: Readonly<Record<string, string>> = {
  expired: 'The access has ended. Connect the account again.',
  revoked: 'The owner took the access back. Connect the account again.',
  scope: 'Connect the account again, and allow all that is asked.',
};

const COLUMNS: Columns<BrandConnection> = {
  Account: ({ platform, handle }) => `@${handle} (${platform})`,
  State: ({ status, lastFailure }) => (
    <>
      <StateBadge state={status} />
      <Text size="sm">{AGAIN[status] ?? lastFailure?.message}</Text>
    </>
  ),
  Connected: ({ source, connectedAt }) =>
    source === 'configuration' ? 'In the configuration' : <Time at={connectedAt} />,
  Ends: (account) => timeOf(account, account.refreshExpiresAt, 'Never: it is renewed'),
  'Comments are pushed': (account) => timeOf(account, account.subscribedAt, 'Not yet'),
  Change: (account) => account.id !== null && <Disconnect account={account} id={account.id} />,
};

const LEADERS: Columns<LeaderboardRow> = {
  Creator: ({ userId, externalId, displayName }) => (
    <PageLink to={`/creators/${userId}`}>{displayName ?? externalId}</PageLink>
  ),
  Points: ({ points }) => number(points),
  Rewards: ({ rewards }) => number(rewards),
};

/** Only of accounts that work there is something to say. */
function timeOf({ source, status }: BrandConnection, at: string | null, none: string): ReactNode {
  if (source === 'configuration' || status !== 'active') return '–';
  return at === null ? none : <Time at={at} />;
}

export default function BrandPage({ id }: { readonly id?: string }) {
  const brandName = useBrandName();
  const brandId = Number(id);
  const accounts = useRead('brandConnections.list', { brandId }, { select: ({ data }) => data });
  const leaders = useList('brands.leaderboard', { brandId });
  return (
    <Page title={brandName(brandId)} above={{ to: '/brands', label: 'Brands' }} id={id}>
      <Section title="Connected accounts" actions={accounts.data && <Connect brandId={brandId} />}>
        <Text>The platform itself tells of comments on the posts of these accounts.</Text>
        <AnsweredRows
          query={accounts}
          columns={COLUMNS}
          rowKey={({ platform, accountId }) => `${platform} ${accountId}`}
          empty="None is connected yet. Comments are read as everybody sees them."
        />
      </Section>
      <Section title="Leaderboard">
        <PagedRows
          list={leaders}
          columns={LEADERS}
          rowKey={({ userId }) => userId}
          empty="No creator has points from campaigns of this brand yet."
        />
      </Section>
    </Page>
  );
}

function Connect({ brandId }: { readonly brandId: number }) {
  const [platform, setPlatform] = useState<string | null>(null);
  return (
    <DialogButton
      variant="filled"
      dialog={(close) => (
        <FormDialog
          title="Connect an account"
          submitLabel="Go to the login"
          isIncomplete={platform === null}
          run={(client) =>
            client.brandConnections.start({ brandId, platform: platform ?? '', redirectUri: settings.pageUrl })
          }
          onDone={({ authorizationUrl }) => leaveFor(authorizationUrl, brandId)}
          onClose={close}
        >
          <Text className="break">
            Log in on the next page as the owner of the account, and agree within 10 minutes. You come back to{' '}
            {settings.pageUrl}.
          </Text>
          <Select label="Platform" required data={PLATFORMS} value={platform} onChange={setPlatform} data-autofocus />
        </FormDialog>
      )}
    >
      Connect an account
    </DialogButton>
  );
}

function Disconnect({ account: { handle }, id }: { readonly account: BrandConnection; readonly id: number }) {
  const { id: brandId } = useParams<{ id: string }>();
  return (
    <ActionButton
      size="xs"
      run={(client) => client.brandConnections.delete({ brandId: Number(brandId), connectionId: id })}
      done={() => `@${handle} is disconnected.`}
      aria-label={`Disconnect @${handle}`}
      question={`Disconnect @${handle}?`}
      about="Its access is given back. Comments are no longer pushed; they are read as everybody sees them."
      yes="Disconnect the account"
    >
      Disconnect
    </ActionButton>
  );
}
