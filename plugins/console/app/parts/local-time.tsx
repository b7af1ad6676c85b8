/** Times as the reader's clock shows them. */
import { TextInput, type TextInputProps } from '@mantine/core';

const MINUTE_MS = 60_000;

/** A field for a local time. With `max`, years have four digits: without it, the year takes the digits of the hour too. */
export function LocalTimeInput(properties: TextInputProps) {
  return <TextInput type="datetime-local" max="9999-12-31T23:59" {...properties} />;
}

/** What the field shows of a time of the API, to the minute; empty for none. */
export function localOf(at: string | null): string {
  if (at === null) return '';
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS)
    .toISOString()
    .slice(0, '2026-01-01T00:00'.length);
}

/** What the API takes; null for an empty field. A text that is no time stays as it is: the API says what is wrong with it. */
export function utcOf(local: string): string | null {
  if (local === '') return null;
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? local : time.toISOString();
}
