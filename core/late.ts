/** A part that is made when it is first needed, often because the code of it is loaded then. */
export interface Late<T> {
  /** Makes the part at the first call. All calls share it; a failure is told to those that waited, and the next call tries again. */
  (): Promise<T>;
  /** The part if it was asked for, else `undefined`: for closing what was opened, and nothing else. */
  ifMade(): Promise<T> | undefined;
  /** The next call makes it again. */
  forget(): void;
}

/** Makes a part once, at the first call. */
export function late<T>(make: () => Promise<T>): Late<T> {
  let made: Promise<T> | undefined;
  const forget = () => {
    made = undefined;
  };
  const get = () => {
    made ??= make().catch((error: unknown) => {
      forget();
      throw error;
    });
    return made;
  };
  return Object.assign(get, { ifMade: () => made, forget });
}
