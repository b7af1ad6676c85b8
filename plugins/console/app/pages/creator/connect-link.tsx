/** Makes the link with which a creator proves an account: for support that knows an external id only. */
import { Autocomplete, TextInput } from '@mantine/core';
import { DialogButton, FormDialog, useFields } from '../../parts/form.tsx';
import { Time } from '../../parts/format.tsx';
import { showOnce } from '../../parts/shown-once.tsx';

/** Which platforms there are is for the host to say: others can be typed. */
export const PLATFORMS = ['instagram', 'tiktok'];

export function ConnectLink({ externalId = '' }: { readonly externalId?: string }) {
  return (
    <DialogButton dialog={(close) => <LinkDialog externalId={externalId} onClose={close} />}>
      Make a connect link
    </DialogButton>
  );
}

function LinkDialog({ externalId, onClose }: { readonly externalId: string; readonly onClose: () => void }) {
  const { fields, choice, text } = useFields({ externalId, platform: '' });
  return (
    <FormDialog
      title="Make a connect link"
      submitLabel="Make the link"
      run={(client) => client.connections.start(fields)}
      keep={({ redirectUrl, expiresAt }) =>
        showOnce({
          title: 'Connect link',
          secret: redirectUrl,
          about: (
            <>
              Send it to {fields.externalId}, who proves the account there. It works until <Time at={expiresAt} />, and
              is shown only now.
            </>
          ),
        })
      }
      onClose={onClose}
    >
      <TextInput label="External id" required maxLength={200} {...text('externalId')} data-autofocus />
      <Autocomplete label="Platform" required data={PLATFORMS} {...choice('platform')} />
    </FormDialog>
  );
}
