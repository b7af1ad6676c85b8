/** What a person may ask of those who store something about them: a copy, and that it goes. */
import type { CredenceClient } from '@credence/client';
import { ActionItem, MoreMenu } from '../../parts/action.tsx';
import { downloadJson } from '../../parts/download.ts';
import { navigate } from '../../parts/location.ts';

export function PersonalDataMenu({ userId, name }: { readonly userId: number; readonly name: string }) {
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
        confirm={{
          title: `Erase the personal data of ${name}?`,
          text: 'Names, accounts, and the texts of comments and webhooks are erased for good. Points and the states of attempts stay, without a name. What waits to be sent about this creator is cancelled. This cannot be undone.',
          yes: 'Erase the personal data',
        }}
      >
        Erase personal data
      </ActionItem>
    </MoreMenu>
  );
}
