/** A form in a dialog. Mounted while it is open, so that it always starts with what is stored. */
import { Button, Modal, Stack } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { Failure } from './failure.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly size?: 'xl';
  readonly isIncomplete?: boolean;
  readonly save: Pick<UseMutationResult<unknown, Error, unknown>, 'error' | 'isPending' | 'reset'>;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  /** The fields. */
  readonly children: ReactNode;
}

/** Stays open while it is saved, and says what was wrong. */
export function FormDialog({
  title,
  submitLabel,
  size,
  isIncomplete,
  save,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  const close = () => {
    if (save.isPending) return;
    save.reset();
    onClose();
  };
  return (
    <Modal opened onClose={close} title={title} size={size}>
      <form onSubmit={submit}>
        <Stack>
          {children}
          {save.error && <Failure error={save.error} />}
          <Button type="submit" loading={save.isPending} disabled={isIncomplete ?? false}>
            {submitLabel}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
