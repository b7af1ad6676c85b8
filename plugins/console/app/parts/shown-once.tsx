/** A secret that the API tells once: it stays until it is closed on purpose. */
import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Copy } from './copy.tsx';

interface ShownOnceProps {
  readonly title: string;
  /** Null: closed. */
  readonly secret: string | null;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** What one may do with it at once. */
  readonly below?: ReactNode;
}

export function ShownOnce({ title, secret, onClose, children, below }: ShownOnceProps) {
  return (
    <Modal
      opened={secret !== null}
      onClose={onClose}
      title={title}
      // Neither Escape nor a click beside it: what is lost here is lost for good.
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Text>{children}</Text>
        <Code block className="break" tabIndex={0}>
          {secret}
        </Code>
        {below}
        <Group justify="flex-end">
          <Copy text={secret ?? ''} />
          <Button onClick={onClose}>I have stored it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
