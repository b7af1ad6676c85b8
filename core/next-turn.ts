/**
 * Lets other work of the process run. Where there is no `setImmediate`, in browsers, by a message: a timer of no time at all
 * waits a millisecond and more.
 */
export function nextTurn(): Promise<void> {
  if (typeof setImmediate === 'function') return new Promise((resolve) => void setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const go = () => {
      port1.close();
      resolve();
    };
    port1.addEventListener('message', go, { once: true });
    port1.start();
    port2.postMessage(null);
  });
}
