/** The fields of a form or of filters, as one state. */
import { useWindowEvent } from '@mantine/hooks';
import { type ChangeEvent, useEffect, useState } from 'react';
import { useSession } from '../session.tsx';
import { drafts } from './drafts.ts';
import { currentPath, replaceSearch, searchOfAddress } from './location.ts';
import { sessionSignal } from './queries.ts';

/** While somebody types, the address is not changed at every key: browsers refuse that after a while. */
const CALM_MS = 300;

/** The names of fields that hold any text. */
type TextName<Fields> = { [Name in keyof Fields]: string extends Fields[Name] ? Name : never }[keyof Fields];

/** Of fields that hold a number, or nothing. */
type NumberName<Fields> = { [Name in keyof Fields]-?: number extends Fields[Name] ? Name : never }[keyof Fields];

type FlagName<Fields> = { [Name in keyof Fields]-?: true extends Fields[Name] ? Name : never }[keyof Fields];

interface Choice<Value> {
  readonly value: Value;
  /** Null if a choice is taken back: then it is as at first. */
  onChange(value: Value | null): void;
}

export interface FieldsState<Fields> {
  readonly fields: Fields;
  /** What the fields held at first. */
  readonly initial: Fields;
  set<Name extends keyof Fields>(name: Name, value: Fields[Name]): void;
  /** Properties of a text field. Its event is read at once: when React runs an updater, the event names no field any more. */
  text(name: TextName<Fields>): {
    readonly value: string;
    onChange(event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>): void;
  };
  /** Properties of a text field for a number. */
  number(name: NumberName<Fields>): {
    readonly value: number | '';
    onChange(event: ChangeEvent<HTMLInputElement>): void;
  };
  /** Properties of what tells its value alone: a list to choose from, a group of checkboxes. */
  choice<Name extends keyof Fields>(name: Name): Choice<Fields[Name]>;
  /** Properties of a checkbox. */
  check(name: FlagName<Fields>): {
    readonly checked: boolean;
    onChange(event: ChangeEvent<HTMLInputElement>): void;
  };
  /** Puts back what the fields held at first. */
  clear(): void;
}

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

/** Filters: they are in the address too, so Back, a reload and a link restore them. An empty text is no filter. */
export function useFilters<Name extends string>(names: readonly Name[]): FieldsState<Readonly<Record<Name, string>>> {
  const recordOf = (read: (name: Name) => string) =>
    Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, string>;
  const ofAddress = (search = searchOfAddress()) => recordOf((name) => search.get(name) ?? '');
  const state = useState(() => ofAddress());
  const [fields, setFields] = state;
  // An address that is pasted over another one, and the way back. The page stays the same then.
  useWindowEvent('hashchange', () => setFields(ofAddress()));
  const wanted = JSON.stringify(fields);
  useEffect(() => {
    const page = currentPath();
    const timer = setTimeout(() => {
      // While the next page loads, this one is still there.
      if (currentPath() !== page) return;
      const search = searchOfAddress();
      const before = search.toString();
      for (const [name, value] of Object.entries<string>(JSON.parse(wanted))) {
        if (value === '') search.delete(name);
        else search.set(name, value);
      }
      if (search.toString() !== before) replaceSearch(search);
    }, CALM_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  return stateOf(
    recordOf(() => ''),
    state,
  );
}

function stateOf<Fields extends object>(
  empty: Fields,
  [fields, setFields]: readonly [Fields, (update: (before: Fields) => Fields) => void],
): FieldsState<Fields> {
  const set = <Name extends keyof Fields>(name: Name, value: Fields[Name]) =>
    setFields((before) => ({ ...before, [name]: value }));
  return {
    fields,
    initial: empty,
    set,
    text: (name) => ({
      value: fields[name] as string,
      onChange: ({ currentTarget }) => set(name, currentTarget.value as Fields[typeof name]),
    }),
    number: (name) => ({
      value: (fields[name] as number | undefined) ?? '',
      onChange: ({ currentTarget: { value } }) =>
        set(name, (value === '' ? undefined : Number(value)) as Fields[typeof name]),
    }),
    choice: (name) => ({ value: fields[name], onChange: (value) => set(name, value ?? empty[name]) }),
    check: (name) => ({
      checked: fields[name] === true,
      onChange: ({ currentTarget }) => set(name, currentTarget.checked as Fields[typeof name]),
    }),
    clear: () => setFields(() => empty),
  };
}

/** The `ref` of a field that has the focus once it is there. A dialog moves the focus a moment later, and letters would be lost. */
export const takeFocus = (field: HTMLElement | null): void => field?.focus();
