import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TurnQueue } from '../../../adapters/scraping/turn-queue.ts';

const anybody = () => true;

function queueOf(...requests: readonly string[]): TurnQueue<string> {
  const queue = new TurnQueue<string>();
  for (const request of requests) queue.add(request[0], request);
  return queue;
}

function drained(queue: TurnQueue<string>, mayGo: (caller: string | undefined) => boolean = anybody): string[] {
  const order: string[] = [];
  for (let next = queue.next(mayGo); next !== undefined; next = queue.next(mayGo)) order.push(next);
  return order;
}

it('gives callers turns, and each its own requests in their order', () => {
  expect(drained(queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'b2'))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

it('puts a caller that comes again behind the others', () => {
  const queue = queueOf('a1', 'b1', 'b2');
  expect(queue.next(anybody)).toBe('a1');
  queue.add('a', 'a2');
  expect(drained(queue)).toEqual(['b1', 'a2', 'b2']);
});

it('lets callers that may not go keep their place', () => {
  const queue = queueOf('a1', 'b1', 'c1', 'b2');
  expect(drained(queue, (caller) => caller === 'b')).toEqual(['b1', 'b2']);
  expect(queue.some((caller) => caller === 'b')).toBe(false);
  expect(queue.some((caller) => caller === 'c')).toBe(true);
  expect(drained(queue)).toEqual(['a1', 'c1']);
});

it('counts what waits, and gives it all back when it is cleared', () => {
  const queue = queueOf('a1', 'a2', 'b1');
  expect([queue.size, queue.sizeOf('a'), queue.sizeOf('b'), queue.sizeOf('c')]).toEqual([3, 2, 1, 0]);
  expect(queue.remove('a', 'a1')).toBe(true);
  expect(queue.remove('a', 'a1')).toBe(false);
  expect(queue.remove('c', 'c1')).toBe(false);
  expect([queue.size, queue.sizeOf('a')]).toEqual([2, 1]);
  expect(queue.clear()).toEqual(['a2', 'b1']);
  expect([queue.size, queue.sizeOf('a'), queue.next(anybody)]).toEqual([0, 0, undefined]);
});

describe('a request more', () => {
  const commands = fc.array(fc.constantFrom('a', 'b', 'c', undefined, 'next' as const), { maxLength: 40 });

  it('waits for as many others as the queue says', () => {
    fc.assert(
      fc.property(commands, fc.constantFrom('a', 'b', 'c'), fc.boolean(), (steps, caller, mayC) => {
        const mayGo = (each: string | undefined) => each !== 'c' || mayC || caller === 'c';
        const queue = new TurnQueue<string>();
        for (const [index, step] of steps.entries()) {
          if (step === 'next') queue.next(anybody);
          else queue.add(step, `${step}${index}`);
        }
        const ahead = queue.ahead(caller, mayGo);
        queue.add(caller, 'this');
        expect(drained(queue, mayGo).indexOf('this')).toBe(ahead);
      }),
    );
  });
});
