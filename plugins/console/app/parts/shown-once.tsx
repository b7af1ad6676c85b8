/** Secrets that the API tells once: each stays, over whatever page is shown, until it is closed on purpose. */
import { Button, Code, Group, getDefaultZIndex, Modal, Stack, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Copy } from './copy.tsx';
import { queries, useKept } from './queries.ts';

interface Secret {
  readonly title: string;
  readonly secret: string;
  /** What to do with it. */
  readonly about: ReactNode;
  /** What one may do with it at once. */
  readonly below?: ReactNode;
}

const SECRETS = 'secrets';

/** Shows a secret, also to somebody who has gone to another page. */
export function showOnce(secret: Secret): void {
  queries.setQueryData<readonly Secret[]>(['kept', SECRETS], (before = []) => [...before, secret]);
}

const useSecrets = () => useKept<readonly Secret[]>(SECRETS, []);

/** For dialogs below: what closes them is not meant for them then. */
export const useIsSecretShown = () => useSecrets()[0].length > 0;

export function ShownOnce() {
  const [[shown], change] = useSecrets();
  // Nobody sees a secret, or what is made now, once the tab is closed.
  useWindowEvent('beforeunload', (event) => {
    const isMade = queries.isMutating({ predicate: ({ meta }) => meta?.isKept === true }) > 0;
    if (shown !== undefined || isMade) event.preventDefault();
  });
  const close = () => change((before) => before.slice(1));
  return (
    <Modal
      opened={shown !== undefined}
      onClose={close}
      title={shown?.title}
      // What is lost here is lost for good.
      closeOnEscape={false}
      withCloseButton={false}
      // It was there before the dialogs that it is shown above.
      zIndex={getDefaultZIndex('modal') + 1}
      transitionProps={{ duration: 0 }}
    >
      {shown && (
        <Stack>
          <Text>{shown.about}</Text>
          <Code block className="break" tabIndex={0}>
            {shown.secret}
          </Code>
          {shown.below}
          <Group justify="flex-end">
            <Copy text={shown.secret} />
            <Button onClick={close}>I have stored it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
