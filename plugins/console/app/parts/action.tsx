/** Actions: they say that they run, how they ended, and ask first if they cannot be undone. */
import type { CredenceClient } from '@credence/client';
import { Button, type ButtonProps, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useClient } from '../session.tsx';
import { forgetDrafts } from './drafts.ts';
import { describe } from './failure.tsx';
import { Icon } from './icon.tsx';
import { currentPath } from './location.ts';
import { sessionSignal } from './queries.ts';

interface ActionOptions<Result> {
  /** What is said of a success. */
  readonly done?: ((result: Result) => string) | undefined;
  /** Keeps what was made, also for somebody who has gone to another page. */
  readonly keep?: ((result: Result) => void) | undefined;
  /** Not called if somebody has gone to another page. */
  readonly onDone?: ((result: Result) => void) | undefined;
  /** The form shows its failure itself. */
  readonly inForm?: boolean;
}

type Run<Result, Input = void> = (client: CredenceClient, input: Input) => Promise<Result>;

/**
 * A call that changes something. All answers are read again afterwards. Failures and warnings are told until they are closed; a
 * failure no longer than until the next try. Nothing is told after the session has ended.
 */
export function useAction<Result, Input = void>(
  run: Run<Result, Input>,
  { done, keep, onDone, inForm = false }: ActionOptions<Result> = {},
): UseMutationResult<Result, Error, Input, unknown> {
  const client = useClient();
  const queries = useQueryClient();
  const id = useId();
  const ended = sessionSignal();
  const isShown = useRef(true);
  useEffect(() => {
    // Again when the tab is chosen that hid it.
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return useMutation({
    mutationFn: (input) => run(client, input),
    meta: { isKept: keep !== undefined },
    onMutate: () => {
      notifications.hide(id);
      return { page: currentPath() };
    },
    onSuccess: (result, _, { page }) => {
      if (ended.aborted) {
        if (inForm) forgetDrafts(ended, page);
        return;
      }
      keep?.(result);
      const message = done?.(result) ?? null;
      const warning = warningOf(result);
      if (warning !== null)
        notifications.show({
          title: 'Done, with a warning',
          message: `${message ?? ''} ${warning}`,
          color: 'yellow',
          autoClose: false,
        });
      else if (message !== null) notifications.show({ message, color: 'green' });
      if (isShown.current) onDone?.(result);
    },
    onError: (error) => {
      if (!ended.aborted && (!inForm || !isShown.current))
        notifications.show({
          id,
          title: 'This did not work',
          message: describe(error),
          color: 'red',
          autoClose: false,
        });
    },
    onSettled: () => queries.invalidateQueries(),
  });
}

/** Every answer of the API names its warning so. */
function warningOf(result: unknown): string | null {
  return (result as { readonly warning?: string | null } | null | undefined)?.warning ?? null;
}

/** An action without an input. */
export interface ActionProps<Result> extends Omit<ActionOptions<Result>, 'inForm'> {
  readonly run: Run<Result>;
}

interface PressedProps<Result> extends ActionProps<Result> {
  /** Asked before what cannot be undone, or pays. It names what it is about: "End “Trail day”?" */
  readonly question?: string | undefined;
  /** What is to be known for the answer. */
  readonly about?: ReactNode;
  /** The verb and its object: "End the campaign"; what is pressed says it by default. */
  readonly yes?: string;
  readonly children: string;
}

type PressedButtonProps<Result> = PressedProps<Result> & ButtonProps & { readonly 'aria-label'?: string };

/** Runs an action, after its question if it has one. */
export function ActionButton<Result>(pressed: PressedButtonProps<Result>) {
  const { press, isPending, dialog, button } = usePressed(pressed);
  return (
    <>
      <Button variant="default" loading={isPending} onClick={press} {...button}>
        {pressed.children}
      </Button>
      {dialog}
    </>
  );
}

/** The same in a menu. */
export function ActionItem<Result>(pressed: PressedProps<Result>) {
  const { press, isPending, dialog } = usePressed(pressed);
  return (
    <>
      <Menu.Item onClick={press} disabled={isPending} color={pressed.question === undefined ? undefined : 'red'}>
        {pressed.children}
      </Menu.Item>
      {dialog}
    </>
  );
}

function usePressed<Result>(pressed: PressedButtonProps<Result>) {
  const { run, done, keep, onDone, question, about, yes, children, ...button } = pressed;
  const [isOpen, { open, close }] = useDisclosure(false);
  const { mutate, isPending } = useAction(run, { done, keep, onDone });
  const start = () => {
    close();
    mutate();
  };
  const dialog = question !== undefined && (
    <Modal opened={isOpen} onClose={close} title={question}>
      <Stack>
        <Text component="div">{about}</Text>
        <Answers yes={yes ?? children} onYes={start} onNo={close} />
      </Stack>
    </Modal>
  );
  return { press: question === undefined ? start : open, isPending, dialog, button };
}

interface AnswersProps {
  /** The verb and its object; absent if there is nothing to say yes to. */
  readonly yes?: string | undefined;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

/** Enter alone changes nothing. */
export function Answers({ yes, onYes, onNo }: AnswersProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onNo} data-autofocus>
        {yes ? 'Cancel' : 'Close'}
      </Button>
      {yes && (
        <Button color="red" onClick={onYes}>
          {yes}
        </Button>
      )}
    </Group>
  );
}

export function MoreMenu({ children }: { readonly children: ReactNode }) {
  return (
    // Kept mounted, and its effects with it: the question that an item asks belongs to it.
    <Menu
      position="bottom-end"
      keepMounted
      keepMountedMode="display-none"
      withinPortal={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <Button variant="default" px="sm" aria-label="More actions">
          <Icon name="more" />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
