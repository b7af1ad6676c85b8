/** Makes the link with which a creator proves an account: for support that knows an external id only. */
import { Autocomplete, Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseMutationResult } from '@tanstack/react-query';
import { useAction } from '../../parts/action.tsx';
import { useFields } from '../../parts/fields.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Time } from '../../parts/format.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useClient } from '../../session.tsx';

/** Which platforms there are is for the host to say: others can be typed. */
export const PLATFORMS = ['instagram', 'tiktok'];

interface Fields {
  readonly externalId: string;
  readonly platform: string;
}

export function ConnectLink({ externalId = '' }: { readonly externalId?: string }) {
  const client = useClient();
  const [isOpen, { open, close }] = useDisclosure(false);
  const start = useAction((fields: Fields) => client.connections.start(fields), {
    done: () => null,
    onDone: close,
    inForm: true,
  });
  return (
    <>
      <Button variant="default" onClick={open}>
        Make a connect link
      </Button>
      {isOpen && <LinkDialog externalId={externalId} start={start} onClose={close} />}
      <ShownOnce title="Connect link" secret={start.data?.redirectUrl ?? null} onClose={start.reset}>
        Send it to {start.variables?.externalId}, who proves the account there. It works until{' '}
        <Time at={start.data?.expiresAt} />, and is shown only now.
      </ShownOnce>
    </>
  );
}

interface LinkDialogProps {
  readonly externalId: string;
  readonly start: UseMutationResult<unknown, Error, Fields>;
  readonly onClose: () => void;
}

function LinkDialog({ externalId, start, onClose }: LinkDialogProps) {
  const { fields, set, text } = useFields<Fields>({ externalId, platform: '' });
  return (
    <FormDialog
      title="Make a connect link"
      submitLabel="Make the link"
      save={start}
      onSubmit={() => start.mutate(fields)}
      onClose={onClose}
    >
      <TextInput label="External id" required maxLength={200} {...text('externalId')} data-autofocus />
      <Autocomplete
        label="Platform"
        required
        data={PLATFORMS}
        value={fields.platform}
        onChange={(value) => set('platform', value)}
      />
    </FormDialog>
  );
}
