/** The MongoDB driver, loaded when a storage is first opened: hosts on another storage do without it. */
import { importFailure } from '../package-loader/index.ts';

type Driver = typeof import('mongodb');

/** @throws MissingPackageError without the package mongodb */
export async function loadDriver(): Promise<Driver> {
  try {
    return await import('mongodb');
  } catch (error) {
    throw importFailure(error, 'mongodb', 'MongoDB');
  }
}

type ErrorClass = 'MongoBulkWriteError' | 'MongoServerError';

/** The class and those that extend it, by their names: the client of a host may be of another copy of the driver. */
const NAMES: Readonly<Record<ErrorClass, readonly string[]>> = {
  MongoBulkWriteError: ['MongoBulkWriteError'],
  MongoServerError: ['MongoServerError', 'MongoBulkWriteError', 'MongoWriteConcernError'],
};

/** Tells whether this is an error of the driver's class `name`. */
export function isDriverError<N extends ErrorClass>(error: unknown, name: N): error is InstanceType<Driver[N]> {
  return error instanceof Error && NAMES[name].includes(error.name);
}
