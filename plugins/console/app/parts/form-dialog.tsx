/** Forms: in a page, or in a dialog, which a button opens. */
import { Button, type ButtonProps, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseMutationResult } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { type ActionOptions, useAction } from './action.tsx';
import { Failure } from './failure.tsx';

interface FieldsProps {
  readonly submitLabel: string;
  readonly isIncomplete?: boolean;
  /** The button stands beside the fields. */
  readonly isRow?: boolean;
  readonly 'aria-label'?: string;
  readonly children: ReactNode;
}

interface FormProps<Result> extends FieldsProps, Pick<ActionOptions<Result>, 'done' | 'onDone'> {
  /** Saves what the fields hold. */
  readonly run: () => Promise<Result>;
}

export function Form<Result>({ run, done, onDone, ...fields }: FormProps<Result>) {
  return <Fields save={useAction(run, { done, onDone, inForm: true })} {...fields} />;
}

export interface FormDialogProps<Result> extends FormProps<Result> {
  readonly title: string;
  readonly size?: string;
  readonly onClose: () => void;
}

/** Stays open while it is saved, and closes then. */
export function FormDialog<Result>({ title, size, onClose, run, done, onDone, ...fields }: FormDialogProps<Result>) {
  const finish = (result: Result) => {
    onDone?.(result);
    onClose();
  };
  const save = useAction(run, { done, onDone: finish, inForm: true });
  const close = () => {
    if (!save.isPending) onClose();
  };
  return (
    <Modal opened onClose={close} title={title} size={size}>
      <Fields save={save} {...fields} />
    </Modal>
  );
}

/** Says what was wrong. */
function Fields({
  save,
  submitLabel,
  isIncomplete = false,
  isRow = false,
  children,
  ...named
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
    <form onSubmit={submit} {...named}>
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
    </form>
  );
}

interface DialogButtonProps extends ButtonProps {
  /** Mounted while it is open, so that it always starts with what is stored. */
  readonly dialog: (close: () => void) => ReactNode;
  readonly children: string;
  readonly 'aria-label'?: string;
}

export function DialogButton({ dialog, ...button }: DialogButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open} {...button} />
      {isOpen && dialog(close)}
    </>
  );
}
