/** The MongoDB driver, loaded when a storage is first opened: hosts on another storage do without it. */
import { importFailure } from '../package-loader/index.ts';

type Driver = typeof import('mongodb');

let loaded: Driver | undefined;

/** @throws MissingPackageError without the package mongodb */
export async function loadDriver(): Promise<Driver> {
  try {
    loaded = await import('mongodb');
    return loaded;
  } catch (error) {
    throw importFailure(error, 'mongodb', 'MongoDB');
  }
}

/** Tells whether this is an error of the driver's class `name`. Without the driver there are none. */
export function isDriverError<N extends ErrorClass>(error: unknown, name: N): error is InstanceType<Driver[N]> {
  return loaded !== undefined && error instanceof loaded[name];
}

type ErrorClass = 'MongoBulkWriteError' | 'MongoServerError';
