/** Settings of the JavaScript engine for a process that lives long. */
import { setFlagsFromString } from 'node:v8';

/**
 * Makes the engine put every new object among the young ones. By default it learns from the objects of the start, nearly all
 * of which stay. It then puts later ones of the same code among the old at once. There they keep alive what they refer to,
 * until a full collection stops the process for tens of milliseconds. Call it before most modules are loaded.
 */
export function keepNewObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
