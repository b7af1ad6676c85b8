/** The fields of a form or of filters, as one state. */
import { type ChangeEvent, useState } from 'react';

/** The names of fields that hold any text. */
type TextName<Fields> = { [Name in keyof Fields]: string extends Fields[Name] ? Name : never }[keyof Fields];

export interface FieldsState<Fields> {
  readonly fields: Fields;
  set<Name extends keyof Fields>(name: Name, value: Fields[Name]): void;
  /** Properties of a text field. Its event is read at once: when React runs an updater, the event names no field any more. */
  text(name: TextName<Fields>): {
    readonly value: string;
    onChange(event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>): void;
  };
  /** Puts back what the fields held at first. */
  clear(): void;
}

export function useFields<Fields extends object>(empty: Fields): FieldsState<Fields> {
  const [fields, setFields] = useState(empty);
  const set = <Name extends keyof Fields>(name: Name, value: Fields[Name]) =>
    setFields((before) => ({ ...before, [name]: value }));
  return {
    fields,
    set,
    text: (name) => ({
      value: fields[name] as string,
      onChange: ({ currentTarget }) => set(name, currentTarget.value as Fields[typeof name]),
    }),
    clear: () => setFields(empty),
  };
}
