/** A thread that says it is ready, and fails with the first task that has values. */
import { parentPort } from 'node:worker_threads';

parentPort.on('message', ({ values: { kinds } }) => {
  if (kinds.length > 0) throw new Error('the thread fails');
  parentPort.postMessage([]);
});
parentPort.postMessage('ready');
