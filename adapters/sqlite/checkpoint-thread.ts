/** The thread of `checkpointer.ts`: one checkpoint for each message; ends after `close`. */
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { CheckpointReply, CheckpointRequest } from './checkpointer.ts';

/** For the locks of other processes; writes of this one wait meanwhile. */
const LOCK_WAIT_MS = 20;

const db = new Sqlite(String(workerData), { timeout: LOCK_WAIT_MS, fileMustExist: true });
// Flushes the log before pages are copied from it, and the database before the log may be written over.
db.pragma('synchronous = FULL');

function checkpoint(mode: Exclude<CheckpointRequest, 'close'>): CheckpointReply {
  try {
    const [outcome] = db.pragma(`wal_checkpoint(${mode})`) as { readonly busy: number }[];
    return { isDone: outcome?.busy === 0 };
  } catch {
    // A full disk, or a lock: the log keeps everything.
    return { isDone: false };
  }
}

parentPort?.on('message', (request: CheckpointRequest) => {
  if (request !== 'close') return parentPort?.postMessage(checkpoint(request));
  db.close();
  parentPort?.close();
});
