/** One creator: the linked accounts and what their profiles say. */
import type { CreatorAttempt, CreatorDelivery, CreatorReward, CreatorRow, CredenceClient } from '@credence/client';
import { Text } from '@mantine/core';
import { ActionButton, ActionItem, MoreMenu } from '../parts/action.tsx';
import { BrandName, useBrandName } from '../parts/brands.tsx';
import { Id } from '../parts/copy.tsx';
import { downloadJson } from '../parts/download.ts';
import { number, reasonText, StateBadge, Time } from '../parts/format.tsx';
import { navigate } from '../parts/location.ts';
import { Answered, Facts, Figures, Page, PageLink, Section } from '../parts/page.tsx';
import { PagedRows, type RowPages, useFirstPage, useList, useRead } from '../parts/reads.tsx';
import { AnsweredRows, type Columns } from '../parts/rows.tsx';
import { WaitingText } from '../parts/waiting.tsx';
import { useClient } from '../session.tsx';
import { ConnectLink } from './creator/connect-link.tsx';
import { useCreators } from './creators.tsx';

export default function Creator({ id }: { readonly id?: string }) {
  const creators = useCreators();
  const userId = Number(id);
  const attempts = useList('creators.listAttempts', { userId });
  const exists = useFirstPage(attempts) !== undefined;
  const accounts = creators.data?.filter((row) => row.userId === userId) ?? [];
  const [first] = accounts;
  const name = first?.displayName ?? first?.profileData.full_name ?? first?.externalId ?? `Creator ${id}`;
  return (
    <Page
      title={name}
      above={{ to: '/creators', label: 'Creators' }}
      id={id}
      actions={
        <>
          {first && (
            <>
              <ConnectLink externalId={first.externalId} />
              <ActionButton
                run={(client) => client.creators.refresh({ userId })}
                done={() => 'The profile was read again.'}
              >
                Read the profile again
              </ActionButton>
            </>
          )}
          {exists && <PersonalDataMenu userId={userId} name={name} />}
        </>
      }
    >
      <Answered query={creators}>
        {() =>
          first === undefined ? (
            exists && (
              <Text>
                No account is linked any more: it was disconnected, or the personal data was erased. What became of the
                attempts stays.
              </Text>
            )
          ) : (
            <>
              <Figures
                of={[
                  ['Attempts', number(first.totalAttempts)],
                  ['Verified', number(first.totalVerified)],
                  ['Rewarded', number(first.totalRewarded)],
                  ['Points', number(first.totalPoints)],
                ]}
              />
              {accounts.map((account) => (
                <Account key={`${account.platform} ${account.platformUsername}`} account={account} />
              ))}
            </>
          )
        }
      </Answered>
      <Section title="Attempts">
        <PagedRows
          list={attempts}
          columns={ATTEMPTS}
          rowKey={({ attemptId }) => attemptId}
          empty="There are no attempts yet: the creator has not taken part in a campaign."
        />
      </Section>
      {exists && <Points userId={userId} />}
      {exists && <Deliveries userId={userId} />}
    </Page>
  );
}

const ATTEMPTS: Columns<CreatorAttempt> = {
  Campaign: ({ campaignId, campaignTitle }) => <PageLink to={`/campaigns/${campaignId}`}>{campaignTitle}</PageLink>,
  Attempt: ({ campaignId, attemptId }) => (
    <PageLink to={`/campaigns/${campaignId}/participants/${attemptId}`} isShort>
      Attempt {attemptId}
    </PageLink>
  ),
  State: ({ state }) => <StateBadge state={state} />,
  Why: ({ waiting, platform, reason }) =>
    waiting === null ? reasonText(reason ?? '–') : <WaitingText waiting={waiting} platform={platform} />,
  Points: ({ pointsAwarded }) => number(pointsAwarded),
  Changed: ({ updatedAt }) => <Time at={updatedAt} />,
};

function Points({ userId }: { readonly userId: number }) {
  const client = useClient();
  const nameOf = useBrandName();
  const sums = useRead('creators.points', { userId, limit: 1 });
  const list: RowPages<CreatorReward> = {
    key: ['creator', userId, 'rewards'],
    read: async (page, signal) => {
      const { data, pagination } = await client.creators.points({ userId, ...page }, { signal });
      return { data: data.rewards, pagination };
    },
  };
  return (
    <Section title="Points">
      <Answered query={sums}>
        {({ data: { byBrand } }) =>
          byBrand.length > 0 && <Figures of={byBrand.map(({ brandId, points }) => [nameOf(brandId), number(points)])} />
        }
      </Answered>
      <PagedRows
        list={list}
        columns={REWARDS}
        rowKey={({ attemptId }) => attemptId}
        empty="No points were given yet."
      />
    </Section>
  );
}

const REWARDS: Columns<CreatorReward> = {
  Campaign: ({ campaignId, attemptId, campaignTitle }) => (
    <PageLink to={`/campaigns/${campaignId}/participants/${attemptId}`}>{campaignTitle}</PageLink>
  ),
  Brand: ({ brandId }) => <BrandName id={brandId} />,
  Points: ({ pointsAwarded }) => number(pointsAwarded),
  Entries: ({ entries }) =>
    entries.map(({ at, points, reason, note }) => (
      <div key={`${at} ${reason}`}>
        {points > 0 && '+'}
        {number(points)} <Time at={at} />
        {reason === 'reversal' && `, taken back${note === undefined ? '' : `: ${note}`}`}
      </div>
    )),
};

const DELIVERIES: Columns<CreatorDelivery> = {
  Delivery: ({ id, brandId, webhookId, event }) =>
    webhookId === null ? (
      `${event} to a subscriber`
    ) : (
      <PageLink to={`/webhooks/${brandId}/${webhookId}/deliveries/${id}`}>{event}</PageLink>
    ),
  Attempt: ({ attemptId }) => attemptId ?? '–',
  Status: ({ status }) => <StateBadge state={status} />,
  Created: ({ createdAt }) => <Time at={createdAt} />,
};

function Deliveries({ userId }: { readonly userId: number }) {
  const deliveries = useRead('creators.listDeliveries', { userId });
  return (
    <Section title="Webhooks about these attempts">
      <AnsweredRows
        query={deliveries}
        columns={DELIVERIES}
        rowKey={({ id }) => id}
        empty="Nothing was sent about these attempts."
      />
    </Section>
  );
}

function Account({ account }: { readonly account: CreatorRow }) {
  const { externalId, platform, platformUsername: handle, connectedAt, email, profileData } = account;
  const links = useRead('connections.list', { externalId });
  const link = links.data?.find((one) => one.platform === platform && one.platformUsername === handle);
  return (
    <Section
      title={`@${handle} on ${platform}`}
      actions={
        <ActionButton
          run={(client) => client.creators.disconnect({ externalId, platform, handle })}
          done={() => `@${handle} on ${platform} is disconnected.`}
          question={`Disconnect @${handle}?`}
          about={`The comments of @${handle} no longer count for ${externalId}. Past attempts and rewards are kept. To connect it again, register it again.`}
          yes="Disconnect the account"
        >
          Disconnect
        </ActionButton>
      }
    >
      <Facts
        of={{
          'External id': <Id name="the external id">{externalId}</Id>,
          Ownership: link === undefined ? '–' : link.ownershipProven ? 'Proven' : 'Asserted, not proven',
          Connected: <Time at={connectedAt} />,
          Email: email,
          Name: profileData.full_name ?? '–',
          Followers: number(profileData.followers),
          Following: number(profileData.following),
          'Verified by the platform': profileData.is_verified === true ? 'Yes' : 'No',
          Biography: profileData.biography ?? '–',
        }}
      />
    </Section>
  );
}

/** What a person may ask of those who store something about them: a copy, and that it goes. */
function PersonalDataMenu({ userId, name }: { readonly userId: number; readonly name: string }) {
  const save = async (client: CredenceClient) =>
    downloadJson(`creator-${userId}.json`, await client.creators.export({ userId }));
  return (
    <MoreMenu>
      <ActionItem run={save} done={() => 'The personal data was saved.'}>
        Export personal data
      </ActionItem>
      <ActionItem
        run={(client) => client.creators.erase({ userId })}
        done={() => `The personal data of ${name} was erased.`}
        onDone={() => navigate('/creators', { replace: true })}
        question={`Erase the personal data of ${name}?`}
        about="Names, accounts, and the texts of comments and webhooks are erased for good. Points and the states of attempts stay, without a name. What waits to be sent about this creator is cancelled. This cannot be undone."
        yes="Erase the personal data"
      >
        Erase personal data
      </ActionItem>
    </MoreMenu>
  );
}
