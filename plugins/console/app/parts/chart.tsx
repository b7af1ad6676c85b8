/** Counts on an axis of time, which is the reader's own: bars that are read by pointer, and a table for everybody. */
import { Text } from '@mantine/core';
import { type PointerEvent, useState } from 'react';
import { number, term } from './format.tsx';
import { Rows } from './rows.tsx';
import type { Counted } from './series.tsx';

const TICK = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const BUCKET = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Of what stands on top of each other, by its place. */
const COLORS = ['seal-6', 'orange-8', 'red-7', 'gray-6', 'grape-6'];
const colorOf = (place: number) => ({ background: `var(--mantine-color-${COLORS[place] ?? COLORS[0]})` });

interface ChartProps {
  readonly title: string;
  readonly counted: Counted;
  /** What stands on top of each other, the lowest first. */
  readonly names: readonly string[];
  /** The word for a name. */
  readonly label?: (name: string) => string;
}

/** What was counted in one hour or day. */
interface Bucket {
  readonly at: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly sum: number;
}

export function Chart({ title, counted, names, label = term }: ChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const { from, to, bucketMs } = counted;
  const buckets = bucketsOf(counted, names);
  const total = buckets.reduce((all, { sum }) => all + sum, 0);
  const top = roundUp(Math.max(...buckets.map(({ sum }) => sum), 0));
  const share = (ms: number) => `${(100 * ms) / (to - from)}%`;
  const stand = (at: number) => ({ insetInlineStart: share(at - from), width: share(bucketMs) });
  const point = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const { left, right, width } = currentTarget.getBoundingClientRect();
    const isMirrored = getComputedStyle(currentTarget).direction === 'rtl';
    const at = from + ((isMirrored ? right - clientX : clientX - left) / width) * (to - from);
    setPointed(Math.floor(at / bucketMs) * bucketMs);
  };
  // What a finger has pointed at stays.
  const leave = ({ pointerType }: PointerEvent) => pointerType === 'mouse' && setPointed(null);
  const timeOf = (at: number) => BUCKET.formatRange(at, at + bucketMs);
  const read = (bucket: Bucket | undefined) =>
    names.length === 1
      ? number(bucket?.sum ?? 0)
      : names.map((name) => `${label(name)} ${number(bucket?.counts.get(name) ?? 0)}`).join(', ');
  return (
    <figure className="chart">
      <Text component="figcaption">
        <span>
          {title} <strong>{number(total)}</strong>
        </span>
        {names.length > 1 &&
          names.map((name, place) => (
            <span key={name}>
              <b style={colorOf(place)} /> {label(name)} {number(sumOf(buckets, name))}
            </span>
          ))}
      </Text>
      {total === 0 ? (
        <Text c="dimmed">None in this time.</Text>
      ) : (
        <>
          <div aria-hidden className="plot" onPointerDown={point} onPointerMove={point} onPointerLeave={leave}>
            <span className="top">{number(top)}</span>
            {pointed !== null && <i style={stand(pointed)} />}
            {buckets.map(({ at, counts }) => (
              <div key={at} className="bar" style={stand(at)}>
                {names.map((name, place) => (
                  <b key={name} style={{ height: `${(100 * (counts.get(name) ?? 0)) / top}%`, ...colorOf(place) }} />
                ))}
              </div>
            ))}
            {ticksOf(counted).map((at) => (
              <span key={at} className="tick" style={{ insetInlineStart: share(at - from) }}>
                {(counted.tickHours < 24 ? CLOCK : TICK).format(at)}
              </span>
            ))}
          </div>
          <Text size="sm" c="dimmed" mih="1.5em" className="read">
            {pointed === null ? '' : `${timeOf(pointed)}: ${read(buckets.find(({ at }) => at === pointed))}`}
          </Text>
          <details onToggle={({ currentTarget }) => setTable(currentTarget.open)}>
            <summary>As a table</summary>
            {isTable && (
              <Rows
                label={title}
                rows={buckets}
                columns={Object.fromEntries([
                  ['Time', ({ at }: Bucket) => timeOf(at)],
                  ...names.map((name) => [label(name), ({ counts }: Bucket) => number(counts.get(name) ?? 0)]),
                ])}
                rowKey={({ at }) => at}
                empty=""
              />
            )}
          </details>
        </>
      )}
    </figure>
  );
}

/** Those that are not empty, in the order of time. */
function bucketsOf({ rows }: Counted, names: readonly string[]): readonly Bucket[] {
  const shown = rows.filter(({ name }) => names.includes(name));
  return [...Map.groupBy(shown, ({ at }) => Date.parse(at))].map(([at, counted]) => ({
    at,
    counts: new Map(counted.map(({ name, count }) => [name, count])),
    sum: counted.reduce((sum, { count }) => sum + count, 0),
  }));
}

const sumOf = (buckets: readonly Bucket[], name: string) =>
  buckets.reduce((all, { counts }) => all + (counts.get(name) ?? 0), 0);

/** 1, 2 or 5 and zeros. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return unit * ([1, 2, 5, 10].find((factor) => factor * unit >= value) ?? 10);
}

/** Round times of the reader's clock. */
function ticksOf({ from, to, tickHours }: Counted): readonly number[] {
  const ticks: number[] = [];
  const time = new Date(from);
  time.setHours(0, 0, 0, 0);
  // The label of one near the end would not fit.
  for (; time.getTime() < to - (to - from) / 12; time.setHours(time.getHours() + tickHours)) {
    if (time.getTime() >= from) ticks.push(time.getTime());
  }
  return ticks;
}
