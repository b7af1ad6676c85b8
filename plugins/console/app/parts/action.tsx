/** Actions: they say that they run, how they ended, and ask first if they cannot be undone. */
import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { describe } from './failure.tsx';

interface ActionOptions<Result> {
  /** What is said of a success; nothing if it returns null. */
  readonly done: (result: Result) => string | null;
  /** Not called if somebody has gone to another page. */
  readonly onDone?: (result: Result) => void;
  /** The form shows its failure itself. */
  readonly inForm?: boolean;
}

/**
 * A call that changes something. All answers are read again afterwards. Failures and warnings are told until they are closed; a
 * failure no longer than until the next try.
 */
export function useAction<Result, Input = void>(
  run: (input: Input) => Promise<Result>,
  { done, onDone, inForm = false }: ActionOptions<Result>,
): UseMutationResult<Result, Error, Input> {
  const queries = useQueryClient();
  const id = useId();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return useMutation({
    mutationFn: run,
    onMutate: () => void notifications.hide(id),
    onSuccess: (result) => {
      const message = done(result);
      const warning = warningOf(result);
      if (warning !== null)
        show({ title: 'Done, with a warning', message: `${message ?? ''} ${warning}`, color: 'yellow' });
      else if (message !== null) notifications.show({ message, color: 'green', withBorder: true });
      if (isShown.current) onDone?.(result);
    },
    onError: (error) => {
      if (!inForm || !isShown.current) show({ id, title: 'This did not work', message: describe(error), color: 'red' });
    },
    onSettled: () => queries.invalidateQueries(),
  });
}

/** Shows a message until somebody closes it. */
function show(told: {
  readonly id?: string;
  readonly title: string;
  readonly message: string;
  readonly color: string;
}): void {
  notifications.show({ ...told, autoClose: false, withBorder: true });
}

/** Every answer of the API names its warning so. */
function warningOf(result: unknown): string | null {
  return (result as { readonly warning?: string | null } | null | undefined)?.warning ?? null;
}

interface ActionButtonProps<Result> extends ButtonProps {
  readonly action: UseMutationResult<Result, Error, void>;
  /** Asked before it runs. */
  readonly confirm?: ReactNode;
  readonly children: string;
}

/** Runs an action; with `confirm` after a question. */
export function ActionButton<Result>({ action, confirm, children, ...button }: ActionButtonProps<Result>) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const run = () => {
    close();
    action.mutate();
  };
  return (
    <>
      <Button variant="default" loading={action.isPending} onClick={confirm === undefined ? run : open} {...button}>
        {children}
      </Button>
      {confirm !== undefined && (
        <Modal opened={isOpen} onClose={close} title={children} closeButtonProps={{ 'aria-label': 'Close' }}>
          <Stack>
            <Text component="div">{confirm}</Text>
            <Group justify="flex-end">
              {/* Enter alone changes nothing. */}
              <Button variant="default" onClick={close} data-autofocus>
                Cancel
              </Button>
              <Button color="red" onClick={run}>
                {children}
              </Button>
            </Group>
          </Stack>
        </Modal>
      )}
    </>
  );
}
