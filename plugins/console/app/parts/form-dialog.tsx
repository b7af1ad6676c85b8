/** Forms: in a page, or in a dialog, which a button opens. */
import { Button, type ButtonProps, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseMutationResult } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { Failure } from './failure.tsx';

interface FormProps {
  readonly save: Pick<UseMutationResult<unknown, Error, unknown>, 'error' | 'isPending' | 'reset'>;
  readonly onSubmit: () => void;
  /** Of a button below the fields; a form without it has one among them. */
  readonly submitLabel?: string;
  readonly isIncomplete?: boolean;
  /** The fields. */
  readonly children: ReactNode;
}

/** Says what was wrong. */
export function Form({
  save,
  onSubmit,
  submitLabel,
  isIncomplete = false,
  children,
  ...named
}: FormProps & { readonly 'aria-label'?: string }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit} {...named}>
      <Stack>
        {children}
        {save.error && <Failure error={save.error} />}
        {submitLabel && (
          <Button type="submit" loading={save.isPending} disabled={isIncomplete}>
            {submitLabel}
          </Button>
        )}
      </Stack>
    </form>
  );
}

interface FormDialogProps extends FormProps {
  readonly title: string;
  readonly size?: string;
  readonly onClose: () => void;
}

/** Stays open while it is saved. */
export function FormDialog({ title, size, onClose, ...form }: FormDialogProps) {
  const close = () => {
    if (form.save.isPending) return;
    form.save.reset();
    onClose();
  };
  return (
    <Modal opened onClose={close} title={title} size={size}>
      <Form {...form} />
    </Modal>
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
