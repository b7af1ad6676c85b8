/** Forms: in a page, or in a dialog, which a button opens. */
import { Button, type ButtonProps, Group, Modal, Paper, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef } from 'react';
import { type ActionProps, useAction } from './action.tsx';
import { Failure } from './failure.tsx';
import { useIsSecretShown } from './shown-once.tsx';

interface FieldsProps {
  readonly submitLabel: string;
  readonly isIncomplete?: boolean;
  /** A part of a page, with the button beside the fields. */
  readonly isRow?: boolean;
  readonly 'aria-label'?: string;
  readonly children: ReactNode;
}

/** `run` saves what the fields hold. */
interface FormProps<Result> extends FieldsProps, ActionProps<Result> {}

export function Form<Result>(form: FormProps<Result>) {
  return <Fields save={useAction(form.run, { ...form, inForm: true })} {...form} />;
}

export interface FormDialogProps<Result> extends FormProps<Result> {
  readonly title: string;
  readonly size?: string;
  readonly onClose: () => void;
}

/** Stays open while it is saved, and closes then. */
export function FormDialog<Result>({ title, size, onClose, ...form }: FormDialogProps<Result>) {
  const finish = (result: Result) => {
    form.onDone?.(result);
    onClose();
  };
  const save = useAction(form.run, { ...form, onDone: finish, inForm: true });
  const close = () => {
    if (!save.isPending) onClose();
  };
  return (
    <Modal opened onClose={close} title={title} size={size} closeOnEscape={!useIsSecretShown()}>
      <Fields save={save} {...form} />
    </Modal>
  );
}

/** Says what was wrong. */
function Fields({
  save,
  submitLabel,
  isIncomplete = false,
  isRow = false,
  'aria-label': label,
  children,
}: FieldsProps & { readonly save: UseMutationResult<unknown, Error, void> }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const failure = save.error && <Failure error={save.error} />;
  const button = (
    <Button type="submit" loading={save.isPending} disabled={isIncomplete}>
      {submitLabel}
    </Button>
  );
  return (
    <Paper component="form" withBorder={isRow} p={isRow ? 'md' : 0} onSubmit={submit} aria-label={label}>
      <Stack>
        {isRow ? (
          <Group align="end">
            {children}
            {button}
          </Group>
        ) : (
          children
        )}
        {failure}
        {!isRow && button}
      </Stack>
    </Paper>
  );
}

interface DialogButtonProps extends ButtonProps {
  /** Mounted while it is open, so that it always starts with what is stored. */
  readonly dialog: (close: () => void) => ReactNode;
  readonly children: string;
  readonly 'aria-label'?: string;
}

/** It has the focus again once the dialog is closed. */
export function DialogButton({ dialog, ...button }: DialogButtonProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const [isOpen, { open, close }] = useDisclosure(false);
  const end = () => {
    close();
    opener.current?.focus();
  };
  return (
    <>
      <Button variant="default" onClick={open} ref={opener} {...button} />
      {isOpen && dialog(end)}
    </>
  );
}
