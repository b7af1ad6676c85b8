import type { MongoClient } from 'mongodb';

const GRACE_MS = 1_000;

/**
 * Calls `onStuck` if the driver's check of a server does not end in this time. A check that begins just as its connection ends
 * waits forever (mongodb 7.9): the driver then never learns that the server is back. Nor does a client whose first call found no server.
 */
export function watchChecks(client: MongoClient, longestMs: number, onStuck: () => void): void {
  const checks = new Map<string, NodeJS.Timeout>();
  const end = (address: string) => clearTimeout(checks.get(address));
  client.on('serverHeartbeatStarted', ({ connectionId: address }) => {
    end(address);
    // After a standstill of the process the timer may be over before the answer that has long come is read.
    const onceMore = () => checks.set(address, setTimeout(onStuck, GRACE_MS).unref());
    checks.set(address, setTimeout(onceMore, longestMs).unref());
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => end(connectionId));
  client.on('serverHeartbeatFailed', ({ connectionId }) => end(connectionId));
  client.on('serverClosed', ({ address }) => end(address));
  client.on('topologyClosed', onStuck);
}
