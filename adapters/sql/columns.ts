/** What the columns of a table hold, and how that is a member of an object of the domain. */

import type { DeliveryTarget } from '../../core/engagement/webhooks/webhook.ts';
import { parseJson } from '../../core/json-reader.ts';
import { millis } from './values.ts';
import type { Cell } from './work.ts';

/**
 * What a column can be, with its type in SQLite. `serial`: a number that is never given twice, not even after its row is gone.
 * `json`: text of JSON, with dates in the members that `DATES` names. `data`: text of JSON as callers gave it. `target`: see
 * `targetValue`.
 */
export const TYPES = {
  text: 'TEXT',
  integer: 'INTEGER',
  serial: 'INTEGER',
  date: 'INTEGER',
  flag: 'INTEGER',
  json: 'TEXT',
  data: 'TEXT',
  target: 'ANY',
} as const;
type ColumnKind = keyof typeof TYPES;

export interface Column {
  readonly name: string;
  readonly field: string;
  readonly kind: ColumnKind;
  /** Null is an absent field. */
  readonly isOptional: boolean;
  readonly isNullable: boolean;
  /** Not in objects of the domain. */
  readonly isHidden: boolean;
}

const COLUMN = /^(-?)(\w+)(?:=(\w+))?(\??)(?::(\w+))?(\|null)?$/;

export function toColumn(word: string): Column {
  const [, hidden, name, field, optional, kind = 'text', orNull] = COLUMN.exec(word) ?? [];
  if (name === undefined || !Object.hasOwn(TYPES, kind)) throw new Error(`${word} declares no column.`);
  return {
    name,
    field: field ?? camelCase(name),
    kind: kind as ColumnKind,
    isOptional: optional !== '',
    isNullable: optional !== '' || orNull !== undefined,
    isHidden: hidden !== '',
  };
}

export const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const isPlain = (kind: ColumnKind) => kind === 'text' || kind === 'integer' || kind === 'serial';

export function fromColumn(value: Cell, kind: ColumnKind): unknown {
  if (value === null || isPlain(kind)) return value;
  if (kind === 'date') return new Date(Number(value));
  if (kind === 'flag') return value === 1;
  if (kind === 'target') return toTarget(value);
  const parsed = parseJson(String(value));
  return kind === 'data' ? parsed : withDates(parsed);
}

export function toValue(value: unknown, kind: ColumnKind): Cell {
  if (value === null || isPlain(kind)) return value as Cell;
  if (kind === 'target') return targetValue(value as DeliveryTarget);
  if (kind === 'date') return millis(value as Date);
  return kind === 'flag' ? Number(value) : JSON.stringify(value);
}

/** Begins the names of subscribers in a column that has ids of webhooks too. Those come before it, as numbers and as text. */
export const SUBSCRIBER = ':';

export function targetValue(target: DeliveryTarget): Cell {
  return typeof target === 'string' ? `${SUBSCRIBER}${target}` : target;
}

function toTarget(value: string | number): DeliveryTarget {
  const text = String(value);
  return text.startsWith(SUBSCRIBER) ? text.slice(SUBSCRIBER.length) : Number(text);
}

/** The members of lists that hold a time; JSON has it as text. */
const DATES = new Set([
  'at',
  'since',
  'commentedAt',
  'timestamp',
  'validUntil',
  'leasedAt',
  'startedAt',
  'updatedAt',
  'drawnAt',
]);

/** Not `since: 'campaign-start'`. */
const TIME = /^[+-]?\d/;

/** Looks into members of members, and no deeper: there is what callers gave. */
function withDates(value: unknown, level = 1): unknown {
  if (Array.isArray(value)) return value.map((one) => withDates(one, level));
  if (typeof value !== 'object' || value === null || level > 2) return value;
  const object = value as Record<string, unknown>;
  for (const [name, member] of Object.entries(object)) {
    if (typeof member === 'object') object[name] = withDates(member, level + 1);
    else if (typeof member === 'string' && DATES.has(name) && TIME.test(member)) object[name] = new Date(member);
  }
  return value;
}
