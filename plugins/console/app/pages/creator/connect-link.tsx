/** Makes the link with which a creator proves an account: for support that knows an external id only. */
import type { ConnectSocialAccountResult } from '@credence/client';
import { Autocomplete, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useFields } from '../../parts/fields.ts';
import { DialogButton, FormDialog } from '../../parts/form-dialog.tsx';
import { Time } from '../../parts/format.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useClient } from '../../session.tsx';

/** Which platforms there are is for the host to say: others can be typed. */
export const PLATFORMS = ['instagram', 'tiktok'];

/** A link, and for whom it was made. */
type MadeLink = ConnectSocialAccountResult & { readonly externalId: string };

export function ConnectLink({ externalId = '' }: { readonly externalId?: string }) {
  const [made, setMade] = useState<MadeLink | null>(null);
  return (
    <>
      <DialogButton dialog={(close) => <LinkDialog externalId={externalId} onMade={setMade} onClose={close} />}>
        Make a connect link
      </DialogButton>
      <ShownOnce title="Connect link" secret={made?.redirectUrl ?? null} onClose={() => setMade(null)}>
        Send it to {made?.externalId}, who proves the account there. It works until <Time at={made?.expiresAt} />, and
        is shown only now.
      </ShownOnce>
    </>
  );
}

interface LinkDialogProps {
  readonly externalId: string;
  readonly onMade: (link: MadeLink) => void;
  readonly onClose: () => void;
}

function LinkDialog({ externalId, onMade, onClose }: LinkDialogProps) {
  const client = useClient();
  const { fields, choice, text } = useFields({ externalId, platform: '' });
  return (
    <FormDialog
      title="Make a connect link"
      submitLabel="Make the link"
      run={() => client.connections.start(fields)}
      onDone={(link) => onMade({ ...link, externalId: fields.externalId })}
      onClose={onClose}
    >
      <TextInput label="External id" required maxLength={200} {...text('externalId')} data-autofocus />
      <Autocomplete label="Platform" required data={PLATFORMS} {...choice('platform')} />
    </FormDialog>
  );
}
