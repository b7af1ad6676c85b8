/**
 * Lets other work of the process run. Browsers have no `setImmediate`: there a message does it, since a timer of no time at all
 * waits a millisecond and more. Some edge runtimes have neither.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else if (typeof MessageChannel === 'function') afterMessage(resolve);
    else setTimeout(resolve, 0);
  });
}

function afterMessage(next: () => void): void {
  const { port1, port2 } = new MessageChannel();
  const go = () => {
    port1.close();
    next();
  };
  port1.addEventListener('message', go, { once: true });
  port1.start();
  port2.postMessage(null);
}
