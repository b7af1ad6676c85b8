/** Forms: their fields as one state; in a page, or in a dialog, which a button opens. */

import { Button, type ButtonProps, Group, Modal, Paper, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseMutationResult } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useSession } from '../session.tsx';
import { type ActionProps, useAction } from './action.tsx';
import { drafts } from './drafts.ts';
import { Failure } from './failure.tsx';
import { currentPath } from './location.ts';
import { sessionSignal } from './queries.ts';
import { useIsSecretShown } from './shown-once.tsx';

/** The names of fields that may hold any such value. */
type NameOf<Fields, Value> = { [Name in keyof Fields]-?: Value extends Fields[Name] ? Name : never }[keyof Fields];

export type FieldsState<Fields extends object> = ReturnType<typeof stateOf<Fields>>;

/**
 * What was changed before the fields became fixed is put back: it could not be saved. If the session is lost, what was typed comes
 * back when the same caller signs in again.
 */
export function useFields<Fields extends object>(empty: Fields, isFixed = false): FieldsState<Fields> {
  const { caller } = useSession();
  const [session] = useState(sessionSignal);
  const [page] = useState(currentPath);
  const [place] = useState(() => JSON.stringify([caller, page, empty]));
  const [initial] = useState(empty);
  const [fields, setFields] = useState(() => (drafts.get(place)?.fields ?? empty) as Fields);
  useEffect(() => {
    drafts.set(place, { session, page, fields });
    return () => {
      if (session.reason !== 'lost') drafts.delete(place);
    };
  }, [place, page, fields, session]);
  return stateOf(initial, [isFixed ? initial : fields, setFields]);
}

/** Fields that make one value of the API. */
export function useValue<Fields extends object, Value>(
  empty: Fields,
  toValue: (fields: Fields) => Value,
  isFixed?: boolean,
) {
  const state = useFields(empty, isFixed);
  const value = toValue(state.fields);
  return { state, value, isChanged: JSON.stringify(value) !== JSON.stringify(toValue(state.initial)) };
}

/** Of a field with one value a line. */
export const textLines = (text: string) => text.split('\n').flatMap((line) => line.trim() || []);

/** Of a list to choose from, by the words of each value. */
export const optionsOf = <Value extends string>(words: Readonly<Record<Value, string>>) =>
  (Object.entries(words) as [Value, string][]).map(([value, label]) => ({ value, label }));

/** What a form does with its fields. `initial`: what they held at first. */
export function stateOf<Fields extends object>(
  initial: Fields,
  [fields, setFields]: readonly [Fields, (update: (before: Fields) => Fields) => void],
) {
  const set = <Name extends keyof Fields>(name: Name, value: Fields[Name]) =>
    setFields((before) => ({ ...before, [name]: value }));
  return {
    fields,
    initial,
    set,
    /** Properties of a text field. Its event is read at once: when React runs an updater, the event names no field any more. */
    text(name: NameOf<Fields, string>) {
      type Event = ChangeEvent<HTMLInputElement | HTMLTextAreaElement>;
      const onChange = ({ currentTarget }: Event) => set(name, currentTarget.value as Fields[typeof name]);
      return { value: fields[name] as string, onChange };
    },
    /** Properties of a text field for a number, or none. */
    number(name: NameOf<Fields, number>) {
      const onChange = ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) =>
        set(name, (value === '' ? undefined : Number(value)) as Fields[typeof name]);
      return { value: (fields[name] as number | undefined) ?? '', onChange };
    },
    /** Properties of a list to choose from, or a group of checkboxes. Null if a choice is taken back: then it is as at first. */
    choice<Name extends keyof Fields>(name: Name) {
      return { value: fields[name], onChange: (value: Fields[Name] | null) => set(name, value ?? initial[name]) };
    },
    check(name: NameOf<Fields, true>) {
      const onChange = ({ currentTarget }: ChangeEvent<HTMLInputElement>) =>
        set(name, currentTarget.checked as Fields[typeof name]);
      return { checked: fields[name] === true, onChange };
    },
    /** Puts back what the fields held at first. */
    clear: () => setFields(() => initial),
  };
}

/** The `ref` of a field that has the focus once it is there. A dialog moves the focus a moment later, and letters would be lost. */
export const takeFocus = (field: HTMLElement | null): void => field?.focus();

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
        {save.error && <Failure error={save.error} />}
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
