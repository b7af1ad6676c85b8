/** What the columns of a table hold, and how that is a member of an object of the domain. */

import type { DeliveryTarget } from '../../core/engagement/webhooks/webhook.ts';
import { parseJson } from '../../core/json-reader.ts';
import { millis } from './values.ts';
import type { Cell } from './work.ts';

interface Kind {
  /** In SQLite. */
  readonly type: string;
  /** How a value becomes a member, and a member a value; as it is by default. */
  readonly from?: (value: string | number) => unknown;
  readonly to?: (member: never) => Cell;
}

/**
 * What a column can be. `serial`: a number that is never given twice, not even after its row is gone. `json`: text of JSON, with dates
 * in the members that `DATES` names. `data`: text of JSON as callers gave it.
 */
export const KINDS = {
  text: { type: 'TEXT' },
  integer: { type: 'INTEGER' },
  serial: { type: 'INTEGER' },
  date: { type: 'INTEGER', from: (value) => new Date(Number(value)), to: millis },
  flag: { type: 'INTEGER', from: (value) => value === 1, to: Number },
  json: { type: 'TEXT', from: (value) => withDates(parseJson(String(value))), to: JSON.stringify },
  data: { type: 'TEXT', from: (value) => parseJson(String(value)), to: JSON.stringify },
  target: { type: 'ANY', from: toTarget, to: targetValue },
} as const satisfies Readonly<Record<string, Kind>>;
type ColumnKind = keyof typeof KINDS;

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
  if (name === undefined || !Object.hasOwn(KINDS, kind)) throw new Error(`${word} declares no column.`);
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

export function fromColumn(value: Cell, kind: ColumnKind): unknown {
  const { from }: Kind = KINDS[kind];
  return value === null || from === undefined ? value : from(value);
}

export function toValue(member: unknown, kind: ColumnKind): Cell {
  const { to }: Kind = KINDS[kind];
  return member === null || to === undefined ? (member as Cell) : to(member as never);
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
