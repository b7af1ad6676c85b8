import { describe, expect, it } from 'vitest';
import { createTriggerMarks } from '../../../core/engagement/webhooks/trigger-marks.ts';

const at = (second: number) => new Date(Date.UTC(2026, 10, 1, 9, 30, second));

/** A store whose writes end when they are told to. */
function slowStore() {
  const writes: { id: number; second: number; end: (error?: Error) => void }[] = [];
  return {
    writes,
    markTriggered: (id: number, when: Date) =>
      new Promise<void>((resolve, reject) => {
        writes.push({ id, second: when.getUTCSeconds(), end: (error) => (error ? reject(error) : resolve()) });
      }),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('marks of the last try', () => {
  it('share one write, the latest, while an earlier one is under way', async () => {
    const store = slowStore();
    const mark = createTriggerMarks(store);
    const first = mark(1, at(1));
    await turn();
    const others = [mark(1, at(3)), mark(1, at(4)), mark(1, at(2))];
    const elsewhere = mark(2, at(5));
    await turn();
    expect(store.writes).toMatchObject([
      { id: 1, second: 1 },
      { id: 2, second: 5 },
    ]);
    store.writes[0]?.end();
    store.writes[1]?.end();
    await Promise.all([first, elsewhere]);
    await turn();
    expect(store.writes).toHaveLength(3);
    expect(store.writes[2]).toMatchObject({ id: 1, second: 4 });
    store.writes[2]?.end();
    await Promise.all(others);
  });

  it('fail with their own write only', async () => {
    const store = slowStore();
    const mark = createTriggerMarks(store);
    const first = mark(1, at(1));
    await turn();
    const second = mark(1, at(2));
    store.writes[0]?.end(new Error('storage gone'));
    await expect(first).rejects.toThrow('storage gone');
    await turn();
    store.writes[1]?.end();
    await second;
    expect(store.writes).toHaveLength(2);
  });
});
