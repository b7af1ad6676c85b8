/** One creator: the linked accounts and what their profiles say. */

import type { CreatorRow } from '@credence/client';
import { Text } from '@mantine/core';
import { ActionButton, useAction } from '../parts/action.tsx';
import { Facts, Figures } from '../parts/facts.tsx';
import { number, Time } from '../parts/format.tsx';
import { Answered, Page, Section } from '../parts/page.tsx';
import { useClient } from '../session.tsx';
import { PersonalDataMenu } from './creator/personal-data.tsx';
import { useCreators } from './creators.tsx';

export default function Creator({ id }: { readonly id?: string }) {
  const client = useClient();
  const creators = useCreators();
  const userId = Number(id);
  const refresh = useAction(() => client.creators.refresh({ userId }), {
    done: () => 'The profile was read again.',
  });
  const accounts = creators.data?.filter((row) => row.userId === userId) ?? [];
  const [first] = accounts;
  const name = first?.displayName ?? first?.profileData.full_name ?? `Creator ${id}`;
  return (
    <Page
      title={name}
      above={{ to: '/creators', label: 'Creators' }}
      actions={
        <>
          <ActionButton action={refresh}>Read the profile again</ActionButton>
          <PersonalDataMenu userId={userId} name={name} />
        </>
      }
    >
      <Answered query={creators}>
        {() =>
          first === undefined ? (
            <Text>There is no creator with this id, or no account is linked any more.</Text>
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
    </Page>
  );
}

function Account({ account }: { readonly account: CreatorRow }) {
  const { externalId, platform, platformUsername: handle, connectedAt, email, profileData } = account;
  const client = useClient();
  const disconnect = useAction(() => client.creators.disconnect({ externalId, platform, handle }), {
    done: () => `@${handle} on ${platform} is disconnected.`,
  });
  return (
    <Section
      title={`@${handle} on ${platform}`}
      actions={
        <ActionButton
          action={disconnect}
          confirm={{
            title: `Disconnect @${handle}?`,
            text: `The comments of @${handle} no longer count for ${externalId}. Past attempts and rewards are kept. To connect it again, register it again.`,
            yes: 'Disconnect the account',
          }}
        >
          Disconnect
        </ActionButton>
      }
    >
      <Facts
        of={[
          ['External id', externalId],
          ['Connected', <Time key="time" at={connectedAt} />],
          ['Email', email],
          ['Name', profileData.full_name ?? '–'],
          ['Followers', number(profileData.followers)],
          ['Following', number(profileData.following)],
          ['Verified by the platform', profileData.is_verified === true ? 'Yes' : 'No'],
          ['Biography', profileData.biography ?? '–'],
        ]}
      />
    </Section>
  );
}
