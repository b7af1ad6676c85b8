/** What a person may ask of those who store something about them: a copy, and that it goes. */
import { useLocation } from 'wouter';
import { ActionItem, useAction } from '../../parts/action.tsx';
import { download } from '../../parts/download.ts';
import { MoreMenu } from '../../parts/menu.tsx';
import { useClient } from '../../session.tsx';

export function PersonalDataMenu({ userId, name }: { readonly userId: number; readonly name: string }) {
  const client = useClient();
  const [, navigate] = useLocation();
  const save = useAction(
    async () => {
      const data = await client.creators.export({ userId });
      download(`creator-${userId}.json`, JSON.stringify(data, null, 2), 'application/json');
    },
    { done: () => 'The personal data was saved.' },
  );
  const erase = useAction(() => client.creators.erase({ userId }), {
    done: () => `The personal data of ${name} was erased.`,
    onDone: () => navigate('/creators', { replace: true }),
  });
  return (
    <MoreMenu>
      <ActionItem action={save}>Export personal data</ActionItem>
      <ActionItem
        action={erase}
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
