/** Records what storages ask their server for, and which methods of their stores are called. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type CommandStartedEvent, type Document, MongoClient } from 'mongodb';
import { vi } from 'vitest';
import type { Storage } from '../../../core/ports/storage.ts';

const underWay = new AsyncLocalStorage<string>();

/** The storage, with each call of a method of a store noted in `called` as `<store>.<method>`. */
export function recordingCalls(storage: Storage, called: Set<string>): Storage {
  return Object.fromEntries(
    Object.entries(storage).map(([name, store]) => [
      name,
      typeof store === 'object' ? recordingStore(name, store, called) : store,
    ]),
  ) as unknown as Storage;
}

function recordingStore(name: string, store: object, called: Set<string>): object {
  return Object.fromEntries(
    Object.entries(store).map(([method, value]) => [
      method,
      typeof value !== 'function'
        ? value
        : (...given: unknown[]) => {
            called.add(`${name}.${method}`);
            return underWay.run(`${name}.${method}`, () => value.apply(store, given));
          },
    ]),
  );
}

/** Every method of every store of the storage, as `<store>.<method>`. */
export function methodsOf(storage: Storage): string[] {
  return Object.entries(storage).flatMap(([name, store]) =>
    typeof store !== 'object'
      ? []
      : Object.entries(store).flatMap(([method, value]) => (typeof value === 'function' ? [`${name}.${method}`] : [])),
  );
}

export interface RecordedCommand {
  readonly command: Document;
  /** The method that sent it; `open` outside of methods. */
  readonly method: string;
}

/** A URL whose clients `recordCommands` listens to. */
export function monitored(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}monitorCommands=true`;
}

/** From now on, hands on every command of clients with a `monitored` URL. Returns what ends it. */
export function recordCommands(record: (recorded: RecordedCommand) => void): () => void {
  const { connect } = MongoClient.prototype;
  const spy = vi.spyOn(MongoClient.prototype, 'connect').mockImplementation(function (this: MongoClient) {
    if (this.options.monitorCommands) {
      this.on('commandStarted', ({ command }: CommandStartedEvent) => {
        record({ command, method: underWay.getStore() ?? 'open' });
      });
    }
    return connect.call(this);
  });
  return () => spy.mockRestore();
}
